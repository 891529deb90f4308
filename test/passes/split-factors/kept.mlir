// Tests that vectors stay floats which are read for more than a product that is rounded to bf16, or that do not lie in
// fragment order.

// RUN: %tk-opt %s --split-input-file --tk-split-factors | FileCheck %s
// CHECK-NOT: split
// CHECK-COUNT-4: hopper.map
// CHECK-NOT: split

!tile = !hopper.fragment<64x64xbf16>
!row = !hopper.vector<64xf32, row>

// A sum beside the product.
hopper.kernel @read_again(%n: i32) {
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
    %z = hopper.map (%e = %y : !tile, %k = %f : !row) -> !tile {
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.addf %0, %k : f32
      %2 = arith.truncf %1 : f32 to bf16
      tk.yield %2 : bf16
    }
    hopper.store_fragment %z[%c0, %c0] to %t : !tile, !hopper.shared<64x64xbf16>
  }
}

// -----

!tile = !hopper.fragment<64x64xbf16>
!row = !hopper.vector<64xf32, row>

// The product stays a float.
hopper.kernel @not_rounded(%n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %ring = hopper.alloc_ring "keep_ring" : <2, 1x64xf32>
  %tiles = hopper.alloc_ring "x" : <1, 64x64xbf16>
  %floats = hopper.alloc_ring "y" : <1, 64x64xf32>
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
    %u = hopper.slot %floats[%c0] : <1, 64x64xf32>
    %x = hopper.load_fragment %t : !hopper.shared<64x64xbf16> -> !tile
    %s = hopper.stage %ring[%use] : <2, 1x64xf32>
    %f = hopper.load_fragment in_order %s : !hopper.shared<1x64xf32> -> !row
    %y = hopper.map (%e = %x : !tile, %k = %f : !row) -> !hopper.fragment<64x64xf32> {
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.mulf %0, %k : f32
      tk.yield %1 : f32
    }
    hopper.store_fragment %y[%c0, %c0] to %u : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf32>
  }
}

// -----

!tile = !hopper.fragment<64x64xbf16>
!row = !hopper.vector<64xf32, row>

// In the order of the program.
hopper.kernel @in_rows(%n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %ring = hopper.alloc_ring "keep_ring" : <2, 1x64xf32>
  %tiles = hopper.alloc_ring "x" : <1, 64x64xbf16>
  hopper.role scanner warpgroups 1 warps 1 {
  ^bb0(%scanner: i32):
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, lanes>
    %s = hopper.stage %ring[%fill] : <2, 1x64xf32>
    hopper.store_vector %v to %s : !hopper.vector<64xf32, lanes>, !hopper.shared<1x64xf32>
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
    %t = hopper.slot %tiles[%c0] : <1, 64x64xbf16>
    %x = hopper.load_fragment %t : !hopper.shared<64x64xbf16> -> !tile
    %s = hopper.stage %ring[%use] : <2, 1x64xf32>
    %f = hopper.load_fragment %s : !hopper.shared<1x64xf32> -> !row
    %y = hopper.map (%e = %x : !tile, %k = %f : !row) -> !tile {
      %0 = arith.extf %e : bf16 to f32
      %1 = arith.mulf %0, %k : f32
      %2 = arith.truncf %1 : f32 to bf16
      tk.yield %2 : bf16
    }
    hopper.store_fragment %y[%c0, %c0] to %t : !tile, !hopper.shared<64x64xbf16>
  }
}
