// Tests consumers that ping-pong over tiles: a consumer passes over the stages of the other's tile. What is needed after the
// MMAs has room for all of a tile; where the other consumer uses its stages next, it is waited for before the ping-pong step is
// passed on.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

// CHECK-LABEL: hopper.kernel @static_order
// CHECK: hopper.alloc_ring "bias" {{.*}}<4, 1x64xf32>
// CHECK: hopper.alloc_barrier "a_empty" arrivals 4
// CHECK: hopper.role consumer warpgroups 2
// CHECK-NEXT: ^bb0(%[[CONSUMER:.+]]: i32):
// CHECK-DAG: %[[USE:.+]] = hopper.cursor "a_use"
// CHECK-DAG: %[[RELEASE:.+]] = hopper.cursor "a_release"
// CHECK-DAG: %[[BIAS:.+]] = hopper.cursor "bias_use"
// CHECK-DAG: %[[PINGPONG:.+]] = hopper.cursor "pingpong" : <2>
// CHECK-NOT: "bias_ahead"
// CHECK: hopper.tile_loop
// CHECK-NEXT: %[[NUMBER:.+]] = hopper.cursor_stage %[[PINGPONG]] : <2>
// CHECK-NEXT: %[[OWN:.+]] = arith.cmpi eq, %[[NUMBER]], %[[CONSUMER]] : i32
// CHECK-NEXT: scf.if %[[OWN]] {
// CHECK: scf.for
// CHECK: hopper.wgmma
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hopper.pingpong_release
// CHECK: hopper.arrive %{{.+}}[%[[RELEASE]]]
// CHECK: hopper.wait_barrier %{{.+}}[%[[BIAS]]]
// CHECK: } else {
// CHECK-NEXT: hopper.pingpong_acquire
// CHECK-NEXT: %[[COUNT:.+]] = arith.subi
// CHECK: hopper.advance %[[USE]] by
// CHECK-NEXT: hopper.advance %[[RELEASE]] by
// CHECK-NEXT: hopper.advance %[[BIAS]] :
// CHECK-NEXT: hopper.advance %[[BIAS]] :
// CHECK-NEXT: }
// CHECK-NEXT: hopper.advance %[[PINGPONG]] : <2>
tk.kernel @static_order(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %Bias: !tk.global<?xf32> {tk.name = "Bias"}, %C: !tk.global<?x128xbf16> {tk.name = "C"}) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %C, 0 : !tk.global<?x128xbf16>
  %cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  tk.grid (%m) in (%tiles) {
    %start = tk.fill %zero : !tk.tile<64x128xf32, register, row>
    %sum = scf.for %k = %m to %cols step %c2 iter_args(%acc = %start) -> (!tk.tile<64x128xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("a")
      %b = tk.load %A[%k, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("b")
      %next = tk.mma ABt %acc, %a, %b : !tk.tile<64x128xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<128x64xbf16, shared>
      scf.yield %next : !tk.tile<64x128xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %bias0 = tk.load %Bias[%m] : !tk.global<?xf32> -> !tk.vector<64xf32, shared> loc("bias")
    %x0 = tk.read %bias0 : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
    %left = tk.slice %sum[0, 0] : !tk.tile<64x128xf32, register, row> -> !tk.tile<64x64xf32, register, row>
    %l = tk.map (%e = %left : !tk.tile<64x64xf32, register, row>, %b = %x0 : !tk.vector<64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
      %s = arith.addf %e, %b : f32
      tk.yield %s : f32
    }
    tk.store %C[%m, %c0], %l : !tk.global<?x128xbf16>, !tk.tile<64x64xf32, register, row>
    %after = arith.addi %m, %c1 : i32
    %bias1 = tk.load %Bias[%after] : !tk.global<?xf32> -> !tk.vector<64xf32, shared> loc("bias")
    %x1 = tk.read %bias1 : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
    %right = tk.slice %sum[0, 64] : !tk.tile<64x128xf32, register, row> -> !tk.tile<64x64xf32, register, row>
    %r = tk.map (%e = %right : !tk.tile<64x64xf32, register, row>, %b = %x1 : !tk.vector<64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
      %s = arith.addf %e, %b : f32
      tk.yield %s : f32
    }
    tk.store %C[%m, %c1], %r : !tk.global<?x128xbf16>, !tk.tile<64x64xf32, register, row>
  }
}

// A ring that has no room for the next tile's.
// CHECK-LABEL: hopper.kernel @short_ring
// CHECK: hopper.alloc_ring "r" {{.*}}<2, 64x128xf32>
// CHECK: %[[AHEAD:.+]] = hopper.cursor "r_ahead"
// CHECK: hopper.wgmma
// CHECK: hopper.wait_barrier %{{.+}}[%[[AHEAD]]] because "the other consumer passes over this phase"
// CHECK-NEXT: hopper.advance %[[AHEAD]]
// CHECK-NEXT: hopper.wait_barrier %{{.+}}[%[[AHEAD]]]
// CHECK-NEXT: hopper.advance %[[AHEAD]]
// CHECK-NEXT: hopper.pingpong_release
// CHECK: } else {
// CHECK-NEXT: hopper.pingpong_acquire
// CHECK: hopper.advance %[[AHEAD]] :
// CHECK: hopper.advance %[[AHEAD]] :
// CHECK-NEXT: }
tk.kernel @short_ring(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %R: !tk.global<?x128xf32> {tk.name = "R"}, %C: !tk.global<?x128xbf16> {tk.name = "C"}) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %C, 0 : !tk.global<?x128xbf16>
  %cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  tk.grid (%m) in (%tiles) {
    %start = tk.fill %zero : !tk.tile<64x128xf32, register, row>
    %sum = scf.for %k = %c0 to %cols step %c1 iter_args(%acc = %start) -> (!tk.tile<64x128xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared> loc("a")
      %b = tk.load %A[%k, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x128xbf16, shared> loc("b")
      %next = tk.mma ABt %acc, %a, %b : !tk.tile<64x128xf32, register, row>, !tk.tile<64x128xbf16, shared>, !tk.tile<128x128xbf16, shared>
      scf.yield %next : !tk.tile<64x128xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %r0 = tk.load %R[%m, %c0] : !tk.global<?x128xf32> -> !tk.tile<64x128xf32, shared> loc("r")
    %x0 = tk.read %r0 : !tk.tile<64x128xf32, shared> -> !tk.tile<64x128xf32, register, row>
    %once = tk.map (%e = %sum : !tk.tile<64x128xf32, register, row>, %x = %x0 : !tk.tile<64x128xf32, register, row>) -> !tk.tile<64x128xf32, register, row> {
      %s = arith.addf %e, %x : f32
      tk.yield %s : f32
    }
    %after = arith.addi %m, %c1 : i32
    %r1 = tk.load %R[%after, %c0] : !tk.global<?x128xf32> -> !tk.tile<64x128xf32, shared> loc("r")
    %x1 = tk.read %r1 : !tk.tile<64x128xf32, shared> -> !tk.tile<64x128xf32, register, row>
    %twice = tk.map (%e = %once : !tk.tile<64x128xf32, register, row>, %x = %x1 : !tk.tile<64x128xf32, register, row>) -> !tk.tile<64x128xf32, register, row> {
      %s = arith.addf %e, %x : f32
      tk.yield %s : f32
    }
    tk.store %C[%m, %c0], %twice : !tk.global<?x128xbf16>, !tk.tile<64x128xf32, register, row>
  }
}
