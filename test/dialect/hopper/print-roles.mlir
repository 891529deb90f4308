// Tests that roles, rings, barriers, copies, MMAs and waits are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK: hopper.kernel @k(
// CHECK-SAME: equal_extents = [#hopper.equal_extent<[0, 0], [1, 0] by "m" line 5>]
// CHECK: %[[RING:.+]] = hopper.alloc_ring "a" : <4, 64x64xbf16>
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "full" arrivals 1 : <4>
// CHECK: hopper.role producer warpgroups 1 {
// CHECK: hopper.wait_barrier %{{.+}}[%[[FILL:.+]]] previous because "a test" : <4>
// CHECK: hopper.expect_bytes %[[FULL]][%[[FILL]]], 8192 : <4>
// CHECK: %[[STAGE:.+]] = hopper.stage %[[RING]][%[[FILL]]] : <4, 64x64xbf16>
// CHECK: hopper.tma_load %{{.+}}[%{{.+}}, %{{.+}}] to %[[STAGE]] signals %[[FULL]][%[[FILL]]] :
// CHECK: hopper.role consumer warpgroups 1 {
// CHECK: ^bb0(%{{.+}}: i32):
// CHECK: hopper.fence_registers because "a test"
// CHECK: hopper.wgmma ABt %{{.+}}, %{{.+}}, %{{.+}} accumulate %{{.+}} : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
// CHECK: hopper.commit_wgmma
// CHECK: hopper.wait_wgmma 1 because "a test"
// CHECK: hopper.arrive %{{.+}}[%{{.+}}] distance 1 : <4>
// CHECK: hopper.arrive %{{.+}}[%{{.+}}] : <4>
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {equal_extents = [#hopper.equal_extent<[0, 0], [1, 0] by "m" line 5>]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      hopper.fence_registers because "a test"
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        hopper.wait_wgmma 1 because "a test"
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.wait_wgmma 0 because "a test"
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}
