// Tests that a fence names the accumulators after it that hold fewer values than registers: a vector's along the tile, or one
// number. Those that are computed, or that the MMA overwrites, are not named.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

!acc = !hopper.fragment<64x64xf32>

// CHECK-LABEL: hopper.kernel @filled
// CHECK: %[[BIAS:.+]] = hopper.map (%{{.+}} = %{{.+}} : !hopper.vector<64xf32, row>)
// CHECK: hopper.fence_registers of %[[BIAS]] because "{{.+}}" : !hopper.fragment<64x64xf32>
// CHECK: hopper.wgmma
// CHECK: %[[TWICE:.+]] = hopper.map (%{{.+}} = %{{.+}} : !hopper.fragment<64x64xf32>)
// CHECK: hopper.fence_registers because
// CHECK: hopper.wgmma AB %[[TWICE]]
hopper.kernel @filled(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %two = arith.constant 2.0 : f32
  %true = arith.constant true
  %ring = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %bias = hopper.alloc_ring "bias" : !hopper.ring<1, 1x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %a = hopper.slot %ring[%c0] : !hopper.ring<1, 64x64xbf16>
    %v = hopper.slot %bias[%c0] : !hopper.ring<1, 1x64xf32>
    %row = hopper.load_fragment %v : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, row>
    %start = hopper.map (%e = %row : !hopper.vector<64xf32, row>) -> !acc {
      tk.yield %e : f32
    }
    %p = hopper.wgmma AB %start, %a, %a accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    %twice = hopper.map (%e = %p : !acc) -> !acc {
      %d = arith.mulf %e, %two : f32
      tk.yield %d : f32
    }
    %q = hopper.wgmma AB %twice, %a, %a accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    %last = hopper.map (%e = %q : !acc) -> !acc {
      %d = arith.mulf %e, %two : f32
      tk.yield %d : f32
    }
  }
}
