// Tests that the ops of tiles by number are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: hopper.kernel @tiles
hopper.kernel @tiles(%m: i32, %n: i32) {
  // CHECK: %first, %end, %blocks = hopper.tile_share of(%arg0, %arg1)
  %first, %end, %blocks = hopper.tile_share of(%m, %n)
  // CHECK: hopper.tile_at %first of(%arg0, %arg1) swizzle 8 : i32, i32
  %place:2 = hopper.tile_at %first of(%m, %n) swizzle 8 : i32, i32
  // CHECK: hopper.tile_at %first of(%arg0) : i32
  %in_row = hopper.tile_at %first of(%m) : i32
}
