// Tests that a tile has as many indices as the grid has extents.

// RUN: not %tk-opt %s 2>&1 | FileCheck %s

// CHECK: 'hopper.tile_at' op has 2 extents but 1 indices
hopper.kernel @tiles(%m: i32, %n: i32) {
  %place = hopper.tile_at %m of(%m, %n) : i32
}
