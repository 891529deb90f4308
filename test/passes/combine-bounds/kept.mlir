// Tests that bounds stay apart of which one has no next number, of different indices, of an index that is no element's, and
// an upper beside a lower one.
// RUN: %tk-opt %s -allow-unregistered-dialect --tk-combine-bounds | FileCheck %s --implicit-check-not=minsi --implicit-check-not=maxsi

// CHECK-COUNT-4: arith.andi
!tile = !hopper.fragment<64x64xf32>

hopper.kernel @masks(%K: !tk.global<?x?xbf16> {tk.name = "K"}, %limit: i32, %first: i32) {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %keys = tk.extent %K, 0 : !tk.global<?x?xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%warpgroup: i32):
    %s = hopper.fill %zero : f32, !tile
    %a = hopper.map (%x = %s : !tile) at (%row, %col) -> !tile {
      // The limit may be the least number there is.
      %less = arith.cmpi slt, %col, %limit : i32
      %earlier = arith.cmpi sle, %col, %row : i32
      %open = arith.andi %less, %earlier : i1
      // The number of keys is above both.
      %inside = arith.cmpi slt, %col, %keys : i32
      %also = arith.cmpi slt, %row, %keys : i32
      %corner = arith.andi %inside, %also : i1
      %z = arith.select %corner, %x, %inf : f32
      %y = arith.select %open, %z, %inf : f32
      tk.yield %y : f32
    }
    %b = hopper.map (%x = %a : !tile) at (%row, %col) -> !tile {
      %from = arith.cmpi sge, %col, %first : i32
      %to = arith.cmpi sle, %col, %row : i32
      %between = arith.andi %from, %to : i1
      // Unsigned numbers have another order.
      %up = arith.cmpi ult, %col, %keys : i32
      %low = arith.cmpi ule, %col, %row : i32
      %unsigned = arith.andi %up, %low : i1
      %z = arith.select %between, %x, %inf : f32
      %y = arith.select %unsigned, %z, %inf : f32
      tk.yield %y : f32
    }
    "test.use"(%b) : (!tile) -> ()
  }
}
