// Tests attention: K and V have barriers of their own, Q is loaded before the loop and given back after it.
// Scores go through registers into the second MMA; the row maxima and sums are carried. K is given back once the
// scores are there; V in the next iteration, after the wait for its scores.

// RUN: %tk-opt %s --tk-insert-pipeline | FileCheck %s

!shared = !tk.tile<128x64xbf16, shared>
!scores = !tk.tile<128x128xf32, register, row>
!weights = !tk.tile<128x128xbf16, register, row>
!out = !tk.tile<128x64xf32, register, row>
!column = !tk.vector<128xf32, register, column>

// CHECK-LABEL: hopper.kernel @attention
// CHECK-DAG: %[[Q:.+]] = hopper.alloc_ring "q" : <2, 128x64xbf16>
// CHECK-DAG: %[[K:.+]] = hopper.alloc_ring "k" : <5, 128x64xbf16>
// CHECK-DAG: %[[V:.+]] = hopper.alloc_ring "v" : <5, 128x64xbf16>
// CHECK-DAG: %[[K_FULL:.+]] = hopper.alloc_barrier "k_full" arrivals 1 {{.+}}16384 TMA bytes
// CHECK-DAG: %[[K_EMPTY:.+]] = hopper.alloc_barrier "k_empty" arrivals 8
// CHECK-DAG: %[[V_FULL:.+]] = hopper.alloc_barrier "v_full"
// CHECK-DAG: %[[V_EMPTY:.+]] = hopper.alloc_barrier "v_empty"

// CHECK: hopper.role producer
// CHECK: hopper.tile_loop (%[[M:.+]], %[[H:.+]], %[[B:.+]]) in
// CHECK: hopper.tma_load %arg0[%[[B]], %[[H]], %{{.+}}, %{{.+}}] to
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: hopper.wait_barrier %[[K_EMPTY]][%[[K_FILL:.+]]] previous
// CHECK: hopper.tma_load %arg1
// CHECK: hopper.advance %[[K_FILL]]
// CHECK: hopper.wait_barrier %[[V_EMPTY]]
// CHECK: hopper.tma_load %arg2

// CHECK: hopper.role consumer warpgroups 2
// CHECK-DAG: %[[K_USE:.+]] = hopper.cursor "k_use"
// CHECK-DAG: %[[V_USE:.+]] = hopper.cursor "v_use"
// CHECK-DAG: %[[V_RELEASE:.+]] = hopper.cursor "v_release"
// CHECK-NOT: "k_release"
// CHECK: hopper.wait_barrier {{.+}} because "q of this stage has landed"
// CHECK: scf.for {{.+}} -> (!hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>)
// CHECK: hopper.wait_barrier %[[K_FULL]][%[[K_USE]]]
// CHECK: hopper.wgmma ABt {{.+}} accumulate %false
// CHECK-NEXT: hopper.commit_wgmma
// CHECK: hopper.arrive %[[K_EMPTY]][%[[K_USE]]]
// CHECK-NEXT: hopper.advance %[[K_USE]]
// CHECK: %[[FIRST:.+]] = arith.muli %{{.+}}, %c64
// CHECK: hopper.map {{.+}} at (%[[ROW:.+]], %{{.+}}) -> !hopper.fragment<64x128xf32>
// CHECK: arith.addi %[[FIRST]], %[[ROW]]
// CHECK: scf.if
// CHECK-NEXT: hopper.arrive %[[V_EMPTY]][%[[V_RELEASE]]] distance 1
// CHECK: hopper.reduce_rows max {{.+}} : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
// CHECK: hopper.map {{.+}} -> (!hopper.fragment<64x128xf32>, !hopper.fragment<64x128xbf16>)
// CHECK: hopper.wait_barrier %[[V_FULL]][%[[V_USE]]]
// CHECK: hopper.wgmma AB {{.+}} : <64x64xf32>, !hopper.fragment<64x128xbf16>, <128x64xbf16>
// CHECK: hopper.commit_wgmma
// CHECK: hopper.advance %[[V_USE]]
// CHECK: scf.yield
// CHECK: hopper.arrive %[[V_EMPTY]][%[[V_RELEASE]]] :
// CHECK: hopper.arrive {{.+}} : <2>
// CHECK: hopper.store_fragment
tk.kernel @attention(%Q: !tk.global<?x?x?x64xbf16> {tk.name = "Q"}, %K: !tk.global<?x?x?x64xbf16> {tk.name = "K"}, %V: !tk.global<?x?x?x64xbf16> {tk.name = "V"},
                     %O: !tk.global<?x?x?x64xbf16> {tk.name = "O"}, %scale: f32 {tk.name = "scale"}) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %rows = tk.extent %Q, 2 : !tk.global<?x?x?x64xbf16>
  %heads = tk.extent %Q, 1 : !tk.global<?x?x?x64xbf16>
  %batches = tk.extent %Q, 0 : !tk.global<?x?x?x64xbf16>
  %keys = tk.extent %K, 2 : !tk.global<?x?x?x64xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %blocks = arith.ceildivsi %keys, %c128 : i32
  tk.grid (%m, %h, %b) in (%m_tiles, %heads, %batches) {
    %q = tk.load %Q[%b, %h, %m, %c0] : !tk.global<?x?x?x64xbf16> -> !shared loc("q")
    %o0 = tk.fill %zero : !out loc("o")
    %best0 = tk.fill %low : !column loc("best")
    %total0 = tk.fill %zero : !column loc("total")
    %o3, %best3, %total3 = scf.for %j = %c0 to %blocks step %c1 iter_args(%o = %o0, %best = %best0, %total = %total0) -> (!out, !column, !column) : i32 {
      %k = tk.load %K[%b, %h, %j, %c0] : !tk.global<?x?x?x64xbf16> -> !shared loc("k")
      %v = tk.load %V[%b, %h, %j, %c0] : !tk.global<?x?x?x64xbf16> -> !shared loc("v")
      %s0 = tk.fill %zero : !scores
      %s1 = tk.mma ABt %s0, %q, %k : !scores, !shared, !shared loc("s")
      %s = tk.map (%x = %s1 : !scores) at (%row, %column) -> !scores {
        %key0 = arith.muli %j, %c128 : i32
        %key = arith.addi %key0, %column : i32
        %query0 = arith.muli %m, %c128 : i32
        %query = arith.addi %query0, %row : i32
        %is = arith.cmpi sle, %key, %query : i32
        %y = arith.select %is, %x, %low : f32
        tk.yield %y : f32
      } loc("s")
      %now = tk.reduce max rows %s init %best : !scores -> !column loc("now")
      %alpha = tk.map (%x = %best : !column, %y = %now : !column) -> !column {
        %d = arith.subf %x, %y : f32
        %e = arith.mulf %d, %scale : f32
        %f = math.exp2 %e : f32
        tk.yield %f : f32
      } loc("alpha")
      %p, %p16 = tk.map (%x = %s : !scores, %y = %now : !column) -> (!scores, !weights) {
        %d = arith.subf %x, %y : f32
        %e = arith.mulf %d, %scale : f32
        %f = math.exp2 %e : f32
        %g = arith.truncf %f : f32 to bf16
        tk.yield %f, %g : f32, bf16
      }
      %decayed = tk.map (%x = %total : !column, %y = %alpha : !column) -> !column {
        %z = arith.mulf %x, %y : f32
        tk.yield %z : f32
      }
      %total2 = tk.reduce add rows %p init %decayed : !scores -> !column loc("total")
      %o1 = tk.map (%x = %o : !out, %y = %alpha : !column) -> !out {
        %z = arith.mulf %x, %y : f32
        tk.yield %z : f32
      } loc("o")
      %o2 = tk.mma AB %o1, %p16, %v : !out, !weights, !shared loc("o")
      scf.yield %o2, %now, %total2 : !out, !column, !column
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %r = tk.map (%x = %o3 : !out, %y = %total3 : !column) -> !out {
      %z = arith.divf %x, %y : f32
      tk.yield %z : f32
    }
    tk.store %O[%b, %h, %m, %c0], %r : !tk.global<?x?x?x64xbf16>, !out
  }
}
