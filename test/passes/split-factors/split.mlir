// Tests that vectors which multiply the columns of bf16 fragments, and are read for nothing else, are written as
// sums of two bf16: on either side of the product, by several readers, of any stage.

// RUN: %tk-opt %s --tk-split-factors | FileCheck %s

!tile = !hopper.fragment<64x64xbf16>
!row = !hopper.vector<64xf32, row>

// CHECK-LABEL: hopper.kernel @split
// CHECK: hopper.store_vector in_order split %{{.+}} to %{{.+}} : <64xf32, lanes>
// CHECK: %[[F:.+]] = hopper.load_fragment in_order %{{.+}} -> !hopper.vector<64xf32, split>
// CHECK-NEXT: %[[A:.+]] = hopper.scale_columns %{{.+}}, %[[F]] : !hopper.fragment<64x64xbf16>, !hopper.vector<64xf32, split>
// CHECK-NEXT: hopper.scale_columns %[[A]], %[[F]]
// CHECK-NOT: hopper.map
hopper.kernel @split(%n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %ring = hopper.alloc_ring "keep_ring" : <2, 1x64xf32>
  %tiles = hopper.alloc_ring "x" : <1, 64x64xbf16>
  hopper.role scanner warpgroups 1 warps 1 {
  ^bb0(%scanner: i32):
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, lanes>
    %s = hopper.stage %ring[%fill] : <2, 1x64xf32>
    hopper.store_vector in_order %v to %s : !hopper.vector<64xf32, lanes>, !hopper.shared<1x64xf32>
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %t = hopper.slot %tiles[%c0] : <1, 64x64xbf16>
    %x = hopper.load_fragment %t : !hopper.shared<64x64xbf16> -> !tile
    %s = hopper.stage %ring[%use] : <2, 1x64xf32>
    %f = hopper.load_fragment in_order %s : !hopper.shared<1x64xf32> -> !row
    %y = hopper.map (%e = %x : !tile, %k = %f : !row) -> !tile {
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.mulf %0, %k : f32
      %2 = arith.truncf %1 : f32 to bf16
      tk.yield %2 : bf16
    }
    %z = hopper.map (%k = %f : !row, %e = %y : !tile) -> !tile {
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.mulf %k, %0 : f32
      %2 = arith.truncf %1 : f32 to bf16
      tk.yield %2 : bf16
    }
    hopper.store_fragment %z[%c0, %c0] to %t : !tile, !hopper.shared<64x64xbf16>
  }
}
