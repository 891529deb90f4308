// Loops and branches, and the variables that carry values through them.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests grids of one to four dimensions, with and without an order of blocks, and what their indices are called.
// CHECK-LABEL: __global__ {{.*}}grids_plan
// CHECK: for (const int x : persistent_tiles(a)) {
// CHECK: for (const auto [m, n] : persistent_tiles_grouped<8>(a, b)) {
// CHECK: for (const auto [x, y, z] : persistent_tiles(a, b, a + b)) {
// CHECK: for (const auto [x, y, z] : persistent_tiles_grouped<4>(a, b, a)) {
// CHECK: for ({{\[\[}}maybe_unused]] const auto [x, y, z, w] : persistent_tiles_grouped<2>(a, b, a, b)) {
hopper.kernel @grids(%a: i32 {tk.name = "a"}, %b: i32 {tk.name = "b"}) attributes {threads = 128 : i64} {
  %s = arith.addi %a, %b : i32
  %c0 = arith.constant 0 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    hopper.tile_loop (%x) in (%a) {
      %u = arith.cmpi sgt, %x, %c0 : i32
      scf.if %u {}
    }
    hopper.tile_loop (%m loc("m"), %n loc("n")) in (%a, %b) swizzle 8 {
      %u = arith.cmpi sgt, %m, %n : i32
      scf.if %u {}
    }
    hopper.tile_loop (%x, %y, %z) in (%a, %b, %s) {
      %u = arith.cmpi sgt, %x, %z : i32
      scf.if %u {}
    }
    hopper.tile_loop (%x, %y, %z) in (%a, %b, %a) swizzle 4 {
      %u = arith.cmpi sgt, %x, %z : i32
      scf.if %u {}
    }
    hopper.tile_loop (%x, %y, %z, %w) in (%a, %b, %a, %b) swizzle 2 {
    }
  }
}

// -----

// Tests that only marked loops are unrolled, and that the pragma stands at the margin below the source line.
// CHECK-LABEL: __global__ {{.*}}loops_plan
// CHECK: // control.mlir{{.*}}
// CHECK-NEXT: {{^}}#pragma unroll 1
// CHECK-NEXT: for (int i = 0; i < a; ++i) {
// CHECK: {{^}}#pragma unroll{{$}}
// CHECK-NEXT: for (int j = i; j < i + 4; j += 2) {
hopper.kernel @loops(%a: i32 {tk.name = "a"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    scf.for %i = %c0 to %a step %c1 : i32 {
      %end = arith.addi %i, %c4 : i32
      "scf.for"(%i, %end, %c2) ({
      ^bb0(%j: i32 loc("j")):
        scf.yield
      }) {hopper.unroll} : (i32, i32, i32) -> ()
    }
  }
}

// -----

// Tests that a scalar carried by a loop is a variable, which an inner loop goes on using where nobody else needs it.
// CHECK-LABEL: __global__ {{.*}}carried_plan
// CHECK: int total = a;
// CHECK: for (int i = 0; i < a; ++i) {
// CHECK-NOT: int total
// CHECK: for (int j = 0; j < i; ++j) {
// CHECK: total = total * 2;
// CHECK-NOT: total = total;
// CHECK: if (total > 0) {
hopper.kernel @carried(%a: i32 {tk.name = "a"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %sum = "scf.for"(%c0, %a, %c1, %a) ({
    ^bb0(%i: i32 loc("i"), %outer: i32 loc("total")):
      %next = "scf.for"(%c0, %i, %c1, %outer) ({
      ^bb0(%j: i32 loc("j"), %inner: i32 loc("total")):
        %double = arith.muli %inner, %c2 : i32
        scf.yield %double : i32
      }) : (i32, i32, i32, i32) -> i32
      scf.yield %next : i32
    }) : (i32, i32, i32, i32) -> i32
    %positive = arith.cmpi sgt, %sum, %c0 : i32
    scf.if %positive {}
  }
}

// -----

// Tests that an inner loop takes a variable of its own where the outer one is read after it, and that a parameter,
// which is a constant, is never assigned.
// CHECK-LABEL: __global__ {{.*}}kept_plan
// CHECK: int total = a;
// CHECK: int total_2 = total;
// CHECK: total_2 = total_2 + 1;
// CHECK: total = total + total_2;
hopper.kernel @kept(%a: i32 {tk.name = "a"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %sum = "scf.for"(%c0, %a, %c1, %a) ({
    ^bb0(%i: i32 loc("i"), %outer: i32 loc("total")):
      %next = "scf.for"(%c0, %i, %c1, %outer) ({
      ^bb0(%j: i32 loc("j"), %inner: i32 loc("total")):
        %more = arith.addi %inner, %c1 : i32
        scf.yield %more : i32
      }) : (i32, i32, i32, i32) -> i32
      %both = arith.addi %outer, %next : i32
      scf.yield %both : i32
    }) : (i32, i32, i32, i32) -> i32
  }
}

// -----

// Tests that values which exchange places are all read before any is written.
// CHECK-LABEL: __global__ {{.*}}cross_warp_plan
// CHECK: const auto next_x = y;
// CHECK-NEXT: const auto next_y = x + y;
// CHECK-NEXT: x = next_x;
// CHECK-NEXT: y = next_y;
hopper.kernel @cross_warp(%a: i32 {tk.name = "a"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %r:2 = "scf.for"(%c0, %a, %c1, %c0, %c1) ({
    ^bb0(%i: i32 loc("i"), %x: i32 loc("x"), %y: i32 loc("y")):
      %z = arith.addi %x, %y : i32
      scf.yield %y, %z : i32, i32
    }) : (i32, i32, i32, i32, i32) -> (i32, i32)
  }
}

// -----

// Tests branches: with one side, with two, with a value.
// CHECK-LABEL: __global__ {{.*}}branches_plan
// CHECK: if (p) {
// CHECK: bulk_wait_read<0>();
// CHECK-NEXT: }
// CHECK-NOT: else
// CHECK: int first;
// CHECK-NEXT: if (a > 0) {
// CHECK: first = a;
// CHECK-NEXT: } else {
// CHECK-NEXT: first = 0;
// CHECK-NEXT: }
// CHECK: for (int i = 0; i < first; ++i) {
hopper.kernel @branches(%a: i32 {tk.name = "a"}, %p: i1 {tk.name = "p"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    scf.if %p {
      hopper.wait_stores_read 0 because "why"
    } else {
    }
    %positive = arith.cmpi sgt, %a, %c0 : i32
    %first = scf.if %positive -> i32 {
      scf.yield %a : i32
    } else {
      scf.yield %c0 : i32
    } loc("first")
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %first step %c1 : i32 {
    }
  }
}
