// Tests that an operand which MMAs read in every iteration is held after the loop, the outermost one that it comes
// from before. One that the loop computes or hands on is not, nor one without a loop.

// RUN: %tk-opt %s --tk-keep-operands-alive | FileCheck %s

!acc = !hopper.fragment<64x64xf32>
!op = !hopper.fragment<64x64xbf16>
!tile = !hopper.shared<64x64xbf16>

// CHECK-LABEL: hopper.kernel @computed
// CHECK: %[[Q:.+]] = hopper.load_fragment
// CHECK: scf.for
// CHECK-NOT: hopper.keep_alive
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hopper.keep_alive %[[Q]] because "{{.*}}13.1{{.*}}" : !hopper.fragment<64x64xbf16>
// CHECK-NOT: hopper.keep_alive
hopper.kernel @computed(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
    %q = hopper.load_fragment %t : !tile -> !op
    %o = hopper.uninitialized : !acc
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o) -> (!acc) : i32 {
      %s0 = hopper.uninitialized : !acc
      %s = hopper.wgmma ABt %s0, %q, %t accumulate %true : !acc, !op, !tile
      %p = hopper.map (%e = %s : !acc) -> !op {
        %0 = arith.truncf %e : f32 to bf16
        tk.yield %0 : bf16
      }
      %b = hopper.wgmma AB %a, %p, %t accumulate %true : !acc, !op, !tile
      scf.yield %b : !acc
    }
    hopper.store_fragment %r[%c0, %c0] to %t : !acc, !tile
  }
}

// CHECK-LABEL: hopper.kernel @carried
// CHECK: %[[Q:.+]] = hopper.load_fragment
// CHECK: scf.for
// CHECK-NOT: hopper.keep_alive
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hopper.keep_alive %[[Q]]
// CHECK-NOT: hopper.keep_alive
hopper.kernel @carried(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
    %q = hopper.load_fragment %t : !tile -> !op
    %p0 = hopper.load_fragment %t : !tile -> !op
    %o = hopper.uninitialized : !acc
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o, %p = %p0) -> (!acc, !op) : i32 {
      %s0 = hopper.uninitialized : !acc
      %s = hopper.wgmma ABt %s0, %q, %t accumulate %true : !acc, !op, !tile
      %b = hopper.wgmma AB %a, %p, %t accumulate %true : !acc, !op, !tile
      %next = hopper.map (%e = %s : !acc) -> !op {
        %0 = arith.truncf %e : f32 to bf16
        tk.yield %0 : bf16
      }
      scf.yield %b, %next : !acc, !op
    }
    hopper.store_fragment %r#0[%c0, %c0] to %t : !acc, !tile
  }
}

// CHECK-LABEL: hopper.kernel @straight
// CHECK-NOT: hopper.keep_alive
hopper.kernel @straight(%n: i32) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
      %q = hopper.load_fragment %t : !tile -> !op
      %o = hopper.uninitialized : !acc
      %r = hopper.wgmma ABt %o, %q, %t accumulate %true : !acc, !op, !tile
      hopper.store_fragment %r[%c0, %c0] to %t : !acc, !tile
    }
  }
}

// After the loop over tiles; a part of the operand counts as it.
// CHECK-LABEL: hopper.kernel @nested
// CHECK: %[[Q:.+]] = hopper.load_fragment
// CHECK: hopper.tile_loop
// CHECK: scf.for
// CHECK-NOT: hopper.keep_alive
// CHECK: hopper.store_fragment
// CHECK-NEXT: }
// CHECK-NEXT: hopper.keep_alive %[[Q]]
// CHECK-NOT: hopper.keep_alive
hopper.kernel @nested(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.alloc_ring "y" : !hopper.ring<1, 64x128xbf16>
    %wide = hopper.slot %y[%c0] : !hopper.ring<1, 64x128xbf16>
    %q = hopper.load_fragment %wide : !hopper.shared<64x128xbf16> -> !hopper.fragment<64x128xbf16>
    hopper.tile_loop (%m) in (%n) {
      %p0 = hopper.load_fragment %t : !tile -> !op
      %o = hopper.uninitialized : !acc
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %o, %p = %p0) -> (!acc, !op) : i32 {
        %half = hopper.slice %q[0, 64] : !hopper.fragment<64x128xbf16> -> !op
        %b = hopper.wgmma ABt %a, %half, %t accumulate %true : !acc, !op, !tile
        %d = hopper.wgmma AB %b, %p, %t accumulate %true : !acc, !op, !tile
        scf.yield %d, %p : !acc, !op
      }
      hopper.store_fragment %r#0[%c0, %c0] to %t : !acc, !tile
    }
  }
}
