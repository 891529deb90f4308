// Tests that a tile which the consumer reads before the loop lies over the tiles that the loop hands over, and that its threads meet between
// the two. Where another tile has taken these, it has bytes of its own.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK: %[[MORE:.+]] = hopper.alloc_ring "more" : <1, 64x64xf32>{{$}}
// CHECK: %[[PAST:.+]] = hopper.alloc_ring "past_ring" {{.*}} : <2, 64x64xbf16>
// CHECK: %[[START:.+]] = hopper.alloc_ring "start" : <1, 64x64xf32> over %[[PAST]]
// CHECK: %[[FULL:.+]] = hopper.alloc_barrier "start_full"
// CHECK-NOT: "start_empty"
// CHECK: hopper.role producer
// CHECK: hopper.tile_loop
// CHECK-NEXT: hopper.expect_bytes %[[FULL]]
// CHECK: hopper.role consumer
// CHECK: hopper.wait_barrier %[[FULL]]
// CHECK-NEXT: %[[TILE:.+]] = hopper.stage %[[START]]
// CHECK-NEXT: hopper.load_fragment %[[TILE]]
// CHECK-NEXT: hopper.sync_warpgroup because "all threads have read the tiles that lie over past, which they write next"
// CHECK: hopper.stage %[[MORE]]
// CHECK-NOT: hopper.sync_warpgroup
// CHECK: hopper.role reducer
tk.kernel @state(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %First: !tk.global<?x64xf32> {tk.name = "First"}, %Sum: !tk.global<?x64xf32> {tk.name = "Sum"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %start = tk.load %First[%n, %c0] : !tk.global<?x64xf32> -> !tk.tile<64x64xf32, shared> loc("start")
    %more = tk.load %Sum[%n, %c0] : !tk.global<?x64xf32> -> !tk.tile<64x64xf32, shared> loc("more")
    %one = tk.read %start : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xf32, register, row>
    %other = tk.read %more : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xf32, register, row>
    %first = tk.map (%a = %one : !tk.tile<64x64xf32, register, row>, %b = %other : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
      %0 = arith.addf %a, %b : f32
      tk.yield %0 : f32
    }
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %first) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
      %kept = tk.read %x : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      %narrow = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %a : f32 to bf16
        tk.yield %0 : bf16
      }
      %written = tk.write %narrow to %past : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %y = tk.mma ABt %none, %x, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %s = tk.mma ABt %none, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %both = tk.map (%a = %y : !tk.tile<64x64xf32, register, row>, %b = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.addf %a, %b : f32
        tk.yield %0 : f32
      }
      %seen = tk.mma AB %both, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      tk.store %Y[%m, %c0], %seen : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
