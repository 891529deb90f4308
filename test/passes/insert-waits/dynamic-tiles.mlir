// Tests that the kernel before this one is waited for by who takes the tiles, and by nobody who follows: a tile that was
// taken says that the wait is over.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @follows
// CHECK: hopper.role producer
// CHECK-NEXT: hopper.wait_grid_dependency because "the kernel before this one may still be reading C"
// CHECK: hopper.role consumer
// CHECK-NOT: hopper.wait_grid_dependency
hopper.kernel @follows(%tiles: i32, %E: !tk.global<?xi32> {tk.name = "E"}, %C: !tk.global<?xf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  hopper.tile_scheduler readers 4
  hopper.role producer warpgroups 1 {
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
      %row = tk.element %E[%m] : !tk.global<?xi32> -> i32
      %x = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
      hopper.store_global %x to %C[%row] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
    }
  }
}

// CHECK-LABEL: hopper.kernel @reads_first
// CHECK: hopper.role producer
// CHECK-NEXT: hopper.wait_grid_dependency because "the kernel before this one may still be taking tiles from the counter"
// CHECK: hopper.role consumer
// CHECK-NEXT: ^bb0
// CHECK-NEXT: hopper.wait_grid_dependency because "the kernel before this one may still be writing E"
hopper.kernel @reads_first(%tiles: i32, %E: !tk.global<?xi32> {tk.name = "E"}) {
  %c0 = arith.constant 0 : i32
  hopper.tile_scheduler readers 4
  hopper.role producer warpgroups 1 {
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %row = tk.element %E[%c0] : !tk.global<?xi32> -> i32
    hopper.tile_loop (%m) in (%tiles) attributes {dynamic} {
    }
  }
}
