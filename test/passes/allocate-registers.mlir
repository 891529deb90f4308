// RUN: %tk-opt %s --tk-allocate-registers | FileCheck %s

// Tests one consumer.

// CHECK-LABEL: hopper.kernel @one
// CHECK-SAME: threads = 256 : i64
// CHECK: role producer warpgroups 1 registers 56
// CHECK: role consumer warpgroups 1 registers 256
hopper.kernel @one(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests the usual split for two consumers.

// CHECK-LABEL: hopper.kernel @two
// CHECK-SAME: threads = 384 : i64
// CHECK: role producer warpgroups 1 registers 40
// CHECK: role consumer warpgroups 2 registers 232
hopper.kernel @two(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests that consumers get the last registers of the producer if their tiles need them.

// CHECK-LABEL: hopper.kernel @two_rich
// CHECK-SAME: threads = 384 : i64
// CHECK: role producer warpgroups 1 registers 24
// CHECK: role consumer warpgroups 2 registers 240
hopper.kernel @two_rich(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x416xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x416xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests three consumers.

// CHECK-LABEL: hopper.kernel @three
// CHECK-SAME: threads = 512 : i64
// CHECK: role producer warpgroups 1 registers 32
// CHECK: role consumer warpgroups 3 registers 160
hopper.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 3 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests four consumers.

// CHECK-LABEL: hopper.kernel @four
// CHECK-SAME: threads = 640 : i64
// CHECK: role producer warpgroups 1 registers 24
// CHECK: role consumer warpgroups 4 registers 112
hopper.kernel @four(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 4 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests that a kernel without a producer keeps the registers it starts with.

// CHECK-LABEL: hopper.kernel @alone
// CHECK-SAME: threads = 256 : i64
// CHECK: role consumer warpgroups 2 {
hopper.kernel @alone(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests that the user's registers stay.

// CHECK-LABEL: hopper.kernel @wish
// CHECK: role producer warpgroups 1 registers 56
// CHECK: role consumer warpgroups 2 registers 224
hopper.kernel @wish(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 56 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 2 registers 224 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
