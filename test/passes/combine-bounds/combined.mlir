// Tests that two upper bounds of an element's index become one, and two lower ones, each the tighter, beside a third term.
// RUN: %tk-opt %s -allow-unregistered-dialect --tk-combine-bounds | FileCheck %s

// CHECK-LABEL: @masks
!tile = !hopper.fragment<64x64xf32>

hopper.kernel @masks(%K: !tk.global<?x?xbf16> {tk.name = "K"}, %first: i32) {
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %keys = tk.extent %K, 0 : !tk.global<?x?xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%warpgroup: i32):
    %s = hopper.fill %zero : f32, !tile
    // "Less than" an extent is "at most" the one before it.
    // CHECK: hopper.map {{.*}} at (%[[ROW:.*]], %[[COL:.*]]) ->
    // CHECK-DAG: %[[LAST:.*]] = arith.subi %[[KEYS:.*]], %{{.*}} : i32
    // CHECK-DAG: %[[TIGHTER:.*]] = arith.minsi %[[LAST]], %[[ROW]] : i32
    // CHECK: %[[SEEN:.*]] = arith.cmpi sle, %[[COL]], %[[TIGHTER]] : i32
    // CHECK-NOT: arith.andi
    // CHECK: arith.select %[[SEEN]]
    %a = hopper.map (%x = %s : !tile) at (%row, %col) -> !tile {
      %exists = arith.cmpi slt, %col, %keys : i32
      %earlier = arith.cmpi sge, %row, %col : i32
      %both = arith.andi %exists, %earlier : i1
      %y = arith.select %both, %x, %inf : f32
      tk.yield %y : f32
    }
    // CHECK: hopper.map {{.*}} at (%[[ROW:.*]], %[[COL:.*]]) ->
    // CHECK: %[[OTHER:.*]] = arith.cmpi ne
    // CHECK: %[[TIGHTER:.*]] = arith.maxsi %{{.*}}, %[[ROW]] : i32
    // CHECK: %[[SEEN:.*]] = arith.cmpi sgt, %[[COL]], %[[TIGHTER]] : i32
    // CHECK: arith.andi %[[SEEN]], %[[OTHER]] : i1
    %b = hopper.map (%x = %a : !tile) at (%row, %col) -> !tile {
      %after = arith.cmpi sgt, %col, %first : i32
      %other = arith.cmpi ne, %row, %col : i32
      %below = arith.cmpi sgt, %col, %row : i32
      %two = arith.andi %after, %other : i1
      %all = arith.andi %two, %below : i1
      %y = arith.select %all, %x, %inf : f32
      tk.yield %y : f32
    }
    "test.use"(%b) : (!tile) -> ()
  }
}
