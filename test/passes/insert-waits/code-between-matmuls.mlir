// Tests that a fence stands anew between two MMAs into the same registers where a branch or a wait for a load, which is a
// loop, stands between them: ptxas wants it there. Other elementwise work needs none.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

!tile = !hopper.shared<64x64xbf16>
!acc = !hopper.fragment<64x64xf32>

// CHECK-LABEL: hopper.kernel @between
// CHECK: hopper.role consumer
// CHECK: hopper.fence_registers because "o passes
// CHECK-NEXT: %[[FIRST:.+]] = hopper.wgmma ABt
// CHECK: hopper.map
// CHECK-NOT: hopper.fence_registers
// CHECK: %[[SECOND:.+]] = hopper.wgmma ABt %[[FIRST]]
// CHECK: scf.if
// CHECK: hopper.fence_registers because "o passes
// CHECK-NEXT: %[[THIRD:.+]] = hopper.wgmma ABt %[[SECOND]]
// CHECK: hopper.wait_barrier
// CHECK: hopper.fence_registers because "o passes
// CHECK-NEXT: hopper.wgmma ABt %[[THIRD]]
hopper.kernel @between(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %condition: i1) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %false = arith.constant false
  %one = arith.constant 1.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  %c = hopper.alloc_ring "c" : !hopper.ring<1, 64x64xf32>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<1>
    %at = hopper.stage %b[%fill] : !hopper.ring<1, 64x64xbf16>
    hopper.tma_load %A[%c0, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !tile, !hopper.barrier<1>
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %out = hopper.slot %c[%c0] : !hopper.ring<1, 64x64xf32>
    %p = hopper.fill %one : f32, !acc loc("p")
    %o0 = hopper.uninitialized : !acc loc("o")
    %o1 = hopper.wgmma ABt %o0, %x, %x accumulate %false : !acc, !tile, !tile
    hopper.commit_wgmma
    %q = hopper.map (%e = %p : !acc) -> !acc {
      %0 = arith.addf %e, %e : f32
      tk.yield %0 : f32
    }
    %o2 = hopper.wgmma ABt %o1, %x, %x accumulate %true : !acc, !tile, !tile
    hopper.commit_wgmma
    %r = scf.if %condition -> (!acc) {
      %double = hopper.map (%e = %q : !acc) -> !acc {
        %0 = arith.mulf %e, %e : f32
        tk.yield %0 : f32
      }
      scf.yield %double : !acc
    } else {
      scf.yield %q : !acc
    }
    %o3 = hopper.wgmma ABt %o2, %x, %x accumulate %true : !acc, !tile, !tile
    hopper.commit_wgmma
    hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<1>
    %y = hopper.stage %b[%use] : !hopper.ring<1, 64x64xbf16>
    %o4 = hopper.wgmma ABt %o3, %y, %y accumulate %true : !acc, !tile, !tile
    hopper.commit_wgmma
    hopper.store_fragment %r[%c0, %c0] to %out : !acc, !hopper.shared<64x64xf32>
    hopper.store_fragment %o4[%c0, %c0] to %out : !acc, !hopper.shared<64x64xf32>
  }
}
