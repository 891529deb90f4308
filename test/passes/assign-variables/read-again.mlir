// Tests that an accumulator that is read again is copied before the MMA overwrites it.
// One that holds nothing is made anew instead.

// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: %tk-opt %s --tk-assign-variables --tk-assign-variables | FileCheck %s

// CHECK-LABEL: hopper.kernel @copies
// CHECK: %[[F:.+]] = hopper.fill
// CHECK: %[[COPY:.+]] = hopper.copy %[[F]]
// CHECK-NEXT: hopper.wgmma ABt %[[COPY]]
// CHECK-NEXT: hopper.wgmma ABt %[[F]]
// CHECK: %[[U:.+]] = hopper.uninitialized
// CHECK: %[[V:.+]] = hopper.uninitialized
// CHECK-NEXT: hopper.wgmma ABt %[[V]]
// CHECK-NEXT: hopper.wgmma ABt %[[U]]
// CHECK-NOT: hopper.copy
hopper.kernel @copies(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %r = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %s = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %u = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %t = hopper.wgmma ABt %u, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %v = hopper.wgmma ABt %u, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
  }
}
