// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!tile = !tk.tile<128x64xbf16, shared>
!acc = !tk.tile<128x64xf32, register, row>
!half = !tk.tile<128x64xbf16, register, row>
!row = !tk.vector<320xf32, register, row>
!A = !tk.global<?x?xbf16>
!F = !tk.global<?x?xf32>
!V = !tk.global<?xf32>

// Tests vectors: they have a ring of one row, padded to 128 bytes and loaded in boxes of at most 256. A column vector is
// read in parts, a row vector whole; one warpgroup stores what all of them hold.

// CHECK-LABEL: hopper.kernel @vectors
// CHECK: hopper.alloc_ring "v" : <2, 1x320xf32>
// CHECK: hopper.alloc_ring "w" : <2, 1x128xf32>
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes {{.+}}, 1280
// CHECK: %[[LOW:.+]] = hopper.columns {{.+}} : <1x320xf32> -> <1x256xf32>
// CHECK: hopper.tma_load %arg0[%[[FIRST:.+]]] to %[[LOW]]
// CHECK: %[[HIGH:.+]] = hopper.columns {{.+}} : <1x320xf32> -> <1x64xf32>
// CHECK: %[[NEXT:.+]] = arith.addi %[[FIRST]], %c256
// CHECK: hopper.tma_load %arg0[%[[NEXT]]] to %[[HIGH]]
// CHECK: hopper.role consumer warpgroups 2
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[V:.+]] = hopper.load_fragment {{.+}} : <1x320xf32> -> !hopper.vector<320xf32, row>
// CHECK: %[[OWN:.+]] = arith.muli %[[W]], %c64
// CHECK: hopper.columns {{.+}}, %[[OWN]] : <1x128xf32> -> <1x64xf32>
// CHECK: %[[C:.+]] = hopper.load_fragment {{.+}} : <1x64xf32> -> !hopper.vector<64xf32, column>
// CHECK: %[[ONE:.+]] = arith.cmpi eq, %[[W]], %c0
// CHECK: scf.if %[[ONE]] {
// CHECK: hopper.store_global accumulate %[[V]] to %arg0
// CHECK: hopper.store_global %[[C]] to %arg0
tk.kernel @vectors(%L: !V {tk.name = "L"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %v = tk.load %L[%m] : !V -> !tk.vector<320xf32, shared> loc("v")
    %x = tk.read %v : !tk.vector<320xf32, shared> -> !row
    %w = tk.load %L[%m] : !V -> !tk.vector<128xf32, shared> loc("w")
    %y = tk.read %w : !tk.vector<128xf32, shared> -> !tk.vector<128xf32, register, column>
    tk.store accumulate %L[%m], %x : !V, !row
    tk.store %L[%m], %y : !V, !tk.vector<128xf32, register, column>
  }
}

// Tests two loops, one of them in a branch, with a load behind them, and a branch that gives a tile: both roles keep what
// concerns them. The branch's loop may not run, so the last stage is given back only if it did.

// CHECK-LABEL: hopper.kernel @control
// CHECK: hopper.role producer
// CHECK: scf.for
// CHECK: hopper.tma_load %arg0
// CHECK: scf.if %arg2 {
// CHECK-NEXT: scf.for
// CHECK: hopper.tma_load %arg0
// CHECK-NOT: else
// CHECK: hopper.tma_load %arg0
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: %[[GIVEN:.+]] = scf.if %arg2 -> (!hopper.fragment<64x64xf32>) {
// CHECK: scf.for
// CHECK: distance 1
// CHECK: scf.yield
// CHECK: %[[HAS_ITERATED:.+]] = arith.cmpi sgt, %arg3, %c0
// CHECK-NEXT: scf.if %[[HAS_ITERATED]] {
// CHECK-NEXT: hopper.arrive
// CHECK: scf.yield %{{.+}} : !hopper.fragment<64x64xf32>
// CHECK: } else {
// CHECK: scf.yield %{{.+}} : !hopper.fragment<64x64xf32>
// CHECK: hopper.wait_barrier {{.+}} because "c and d of this stage have landed"
// CHECK: hopper.wgmma ABt %[[GIVEN]]
tk.kernel @control(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %flag: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 1.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !acc
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!acc) : i32 {
      %a = tk.load %A[%m, %k] : !A -> !tile loc("a")
      %b = tk.load %A[%k, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc, %a, %b : !acc, !tile, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !acc
    }
    %g = scf.if %flag -> (!acc) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %s) -> (!acc) : i32 {
        %a = tk.load %A[%m, %k] : !A -> !tile loc("d")
        %b = tk.load %A[%k, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("e")
        %next = tk.mma AB %acc, %a, %b : !acc, !tile, !tk.tile<64x64xbf16, shared>
        scf.yield %next : !acc
      }
      scf.yield %r : !acc
    } else {
      %u = tk.map (%x = %s : !acc) -> !acc {
        %y = arith.negf %x : f32
        tk.yield %y : f32
      }
      scf.yield %u : !acc
    }
    %c = tk.load %A[%m, %m] : !A -> !tile loc("c")
    %d = tk.load %A[%m, %m] : !A -> !tk.tile<64x64xbf16, shared> loc("d")
    %last = tk.mma ABt %g, %c, %d : !acc, !tile, !tk.tile<64x64xbf16, shared>
    tk.store %C[%m, %c0], %last : !A, !acc
  }
}

// Tests a tile that consumers write: each warpgroup writes its rows of one scratch tile, products take it as B whole and
// as A by rows, also transposed by columns; a part of it is no copy.

// CHECK-LABEL: hopper.kernel @scratch
// CHECK: %[[P:.+]] = hopper.alloc_ring "p" {what = "written by the consumers"} : <1, 128x64xbf16>
// CHECK: hopper.role consumer warpgroups 2
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[TILE:.+]] = hopper.slot %[[P]][%c0
// CHECK: %[[OWN:.+]] = hopper.rows %[[TILE]], %{{.+}} : <128x64xbf16> -> <64x64xbf16>
// CHECK: hopper.store_fragment %{{.+}} to %[[OWN]] : <64x64xbf16>, <64x64xbf16>
// CHECK: hopper.wgmma ABt {{.+}} : <64x128xf32>, !hopper.shared<64x64xbf16>, <128x64xbf16>
// CHECK: %[[HALF:.+]] = hopper.columns %[[TILE]], %c32{{.*}} : <128x64xbf16> -> <128x32xbf16>
// CHECK: hopper.wgmma AB {{.+}} : <64x32xf32>, !hopper.fragment<64x128xbf16>, <128x32xbf16>
// CHECK: hopper.columns %{{.+}} : <64x128xbf16> -> <64x64xbf16>
// CHECK: hopper.wgmma AtB
// CHECK: hopper.load_fragment {{.+}} -> !hopper.fragment<64x64xbf16>
// CHECK: hopper.tma_store accumulate
tk.kernel @scratch(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %m] : !A -> !tile loc("a")
    %x = tk.read %a : !tile -> !half
    %p0 = tk.alloc : !tile loc("p")
    %p = tk.write %x to %p0 : !half, !tile
    %f = tk.fill %zero : !tk.tile<128x128xf32, register, row>
    %s = tk.mma ABt %f, %p, %p : !tk.tile<128x128xf32, register, row>, !tile, !tile
    %s16 = tk.map (%e = %s : !tk.tile<128x128xf32, register, row>) -> !tk.tile<128x128xbf16, register, row> {
      %r = arith.truncf %e : f32 to bf16
      tk.yield %r : bf16
    }
    %h = tk.slice %p[0, 32] : !tile -> !tk.tile<128x32xbf16, shared>
    %g = tk.fill %zero : !tk.tile<128x32xf32, register, row>
    %o = tk.mma AB %g, %s16, %h : !tk.tile<128x32xf32, register, row>, !tk.tile<128x128xbf16, register, row>, !tk.tile<128x32xbf16, shared>
    tk.store %C[%m, %c0], %o : !A, !tk.tile<128x32xf32, register, row>
    %b = tk.load %A[%m, %m] : !A -> !tk.tile<64x128xbf16, shared> loc("b")
    %c = tk.load %A[%m, %m] : !A -> !tk.tile<64x32xbf16, shared> loc("c")
    %t = tk.mma AtB %g, %b, %c : !tk.tile<128x32xf32, register, row>, !tk.tile<64x128xbf16, shared>, !tk.tile<64x32xbf16, shared>
    tk.store %C[%m, %c0], %t : !A, !tk.tile<128x32xf32, register, row>
    tk.store accumulate %C[%m, %c0], %p : !A, !tile
  }
}

// Tests what crosses rows: all of it goes through one piece of shared memory, as large as the largest needs.

// CHECK-LABEL: hopper.kernel @across
// CHECK: %[[RING:.+]] = hopper.alloc_ring "exchange" {what = "what warps tell each other"} : <1, 1x8192xf32>
// CHECK: hopper.role consumer warpgroups 2
// CHECK: %[[S:.+]] = hopper.reduce_columns add {{.+}} across 2 through %{{.+}} {barrier_id = 5 : i64} : !hopper.fragment<64x128xf32>, !hopper.shared<1x8192xf32> -> !hopper.vector<128xf32, row>
// CHECK: hopper.scan add {{.+}} across 2 through
// CHECK: hopper.transpose {{.+}} across 2 through {{.+}} -> !hopper.vector<128xf32, row>
// CHECK: %[[MASKED:.+]] = hopper.map {{.+}} at (%[[ROW:.+]], %{{.+}})
// CHECK: %[[AT:.+]] = arith.addi %{{.+}}, %[[ROW]]
// CHECK: arith.cmpi eq, %[[AT]], %c5
// CHECK: hopper.reduce_columns add %[[MASKED]] across 2
// CHECK: hopper.slice %{{.+}}[0, 127] : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
// CHECK: hopper.transpose {{.+}} -> !hopper.fragment<64x128xf16>
// CHECK: hopper.concat columns
tk.kernel @across(%C: !F {tk.name = "C"}, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<128x128xf32, register, row>
    %h = tk.map (%e = %t : !tk.tile<128x128xf32, register, row>) -> !tk.tile<128x128xf16, register, row> {
      %r = arith.truncf %e : f32 to f16
      tk.yield %r : f16
    }
    %s = tk.reduce add columns %t : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, row>
    %c = tk.reduce add rows %t : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    %d = tk.scan add %c : !tk.vector<128xf32, register, column>
    %e = tk.transpose %d : !tk.vector<128xf32, register, column> -> !tk.vector<128xf32, register, row>
    %r = tk.slice %t[5, 0] : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, row>
    %l = tk.slice %t[0, 127] : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    %z = tk.map (%a = %t : !tk.tile<128x128xf32, register, row>, %b = %s : !tk.vector<128xf32, register, row>, %f = %e : !tk.vector<128xf32, register, row>, %g = %r : !tk.vector<128xf32, register, row>, %k = %l : !tk.vector<128xf32, register, column>) -> !tk.tile<128x128xf32, register, row> {
      %1 = arith.addf %a, %b : f32
      %2 = arith.addf %1, %f : f32
      %3 = arith.addf %2, %g : f32
      %4 = arith.addf %3, %k : f32
      tk.yield %4 : f32
    }
    tk.store %C[%m, %c0], %z : !F, !tk.tile<128x128xf32, register, row>
    %u = tk.transpose %h : !tk.tile<128x128xf16, register, row> -> !tk.tile<128x128xf16, register, row>
    %w = tk.concat columns %u, %h : !tk.tile<128x128xf16, register, row>, !tk.tile<128x128xf16, register, row> -> !tk.tile<128x256xf16, register, row>
    %v = tk.slice %w[0, 0] : !tk.tile<128x256xf16, register, row> -> !tk.tile<128x128xf16, register, row>
    %q = tk.map (%a = %v : !tk.tile<128x128xf16, register, row>) -> !tk.tile<128x128xf32, register, row> {
      %1 = arith.extf %a : f16 to f32
      tk.yield %1 : f32
    }
    tk.store %C[%m, %c0], %q : !F, !tk.tile<128x128xf32, register, row>
  }
}

// Tests a scope of warpgroups: what differs between them is loaded once for each of them, into a tile twice as high, the
// rest once for all; nobody shares rows.

// CHECK-LABEL: hopper.kernel @warpgroups
// CHECK: hopper.alloc_ring "q" : <2, 128x64xbf16>
// CHECK: hopper.alloc_ring "k" : <{{.+}}, 64x64xbf16>
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes {{.+}}, 16384
// CHECK: %[[FIRST:.+]] = hopper.rows {{.+}}, %c0{{.*}} : <128x64xbf16> -> <64x64xbf16>
// CHECK-NEXT: hopper.tma_load %arg0[{{.+}}] to %[[FIRST]]
// CHECK: %[[SECOND:.+]] = hopper.rows {{.+}}, %c64{{.*}} : <128x64xbf16> -> <64x64xbf16>
// CHECK-NEXT: hopper.tma_load %arg0[{{.+}}] to %[[SECOND]]
// CHECK: scf.for
// CHECK: hopper.expect_bytes {{.+}}, 8192
// CHECK: hopper.role consumer warpgroups 2 each warpgroup
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[ROW:.+]] = arith.muli %[[W]], %c64
// CHECK: hopper.rows {{.+}}, %[[ROW]] : <128x64xbf16> -> <64x64xbf16>
// CHECK: hopper.wgmma ABt {{.+}} : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
tk.kernel @warpgroups(%Q: !A {tk.name = "Q"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      %m2 = arith.muli %m, %c2 : i32
      %at = arith.addi %m2, %w : i32
      %q = tk.load %Q[%at, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("q")
      %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!tk.tile<64x64xf32, register, row>) : i32 {
        %b = tk.load %Q[%k, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("k")
        %next = tk.mma ABt %acc, %q, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
        scf.yield %next : !tk.tile<64x64xf32, register, row>
      } {tk.pipeline = #tk.pipeline<stages = 0>}
      tk.store %C[%at, %c0], %s : !A, !tk.tile<64x64xf32, register, row>
    }
  }
}

// Tests a scope of warps: products in registers, B by way of a transpose; fragments are four tiles, and every warp stores
// through a buffer of its own.

// CHECK-LABEL: hopper.kernel @warps
// CHECK: hopper.alloc_ring "C_staging" {what = "8 warps x 1 buffer"} : <8, 16x64xbf16>
// CHECK: hopper.role consumer warpgroups 2 each warp
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[B:.+]] = hopper.load_fragment {{.+}} : <64x64xbf16> -> !hopper.fragment<256x64xbf16>
// CHECK: %[[COL:.+]] = hopper.transpose %[[B]] across 1 {{.*}}: !hopper.fragment<256x64xbf16> -> !hopper.fragment<256x64xbf16>
// CHECK: hopper.rows {{.+}} : <128x64xbf16> -> <16x64xbf16>
// CHECK: %[[A:.+]] = hopper.load_fragment {{.+}} : <16x64xbf16> -> !hopper.fragment<64x64xbf16>
// CHECK: %[[R:.+]] = hopper.mma_sync {{.+}}, %[[A]], %[[COL]]
// CHECK: hopper.slot {{.+}}[%[[W]]] : <8, 16x64xbf16>
// CHECK: hopper.store_fragment %[[R]]
tk.kernel @warps(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 8 (%w) {
      %b0 = tk.load %A[%m, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("b")
      %b = tk.read %b0 : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      %bc = tk.swap_layout %b : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, col>
      %a0 = tk.load %A[%w, %c0] : !A -> !tk.tile<16x64xbf16, shared> loc("a")
      %a = tk.read %a0 : !tk.tile<16x64xbf16, shared> -> !tk.tile<16x64xbf16, register, row>
      %t = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      %r = tk.mma AB %t, %a, %bc : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x64xbf16, register, col>
      tk.store %C[%w, %c0], %r : !A, !tk.tile<16x64xf32, register, row>
    }
  }
}

// Tests one load at two places: one ring, one pair of barriers, filled and given back in turn.

// CHECK-LABEL: hopper.kernel @ring
// CHECK-COUNT-1: hopper.alloc_ring "k"
// CHECK-NOT: alloc_ring "k"
// CHECK: hopper.role producer
// CHECK: %[[FILL:.+]] = hopper.cursor "k_fill"
// CHECK: hopper.tma_load {{.+}}[%[[FILL]]]
// CHECK: scf.for
// CHECK: hopper.tma_load {{.+}}[%[[FILL]]]
// CHECK: hopper.role consumer
// CHECK-NOT: "k_release"
// CHECK: hopper.wgmma
// CHECK: hopper.arrive %[[EMPTY:[^ ]+]][%[[USE:.+]]]
// CHECK: hopper.map
// CHECK: scf.for
// CHECK: hopper.wgmma
// CHECK: hopper.arrive %[[EMPTY]][%[[USE]]]
// CHECK: hopper.map
tk.kernel @ring(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %A[%m, %c0] : !A -> !tile loc("q")
    %t = tk.fill %zero : !acc
    %k0 = tk.load %A[%c0, %c0] {ring = 0 : i64} : !A -> !tk.tile<64x64xbf16, shared> loc("k")
    %s0 = tk.mma ABt %t, %q, %k0 : !acc, !tile, !tk.tile<64x64xbf16, shared>
    %p0 = tk.map (%x = %s0 : !acc) -> !acc {
      %y = math.exp2 %x : f32
      tk.yield %y : f32
    }
    %p = scf.for %j = %c1 to %n step %c1 iter_args(%sum = %p0) -> (!acc) : i32 {
      %k = tk.load %A[%j, %c0] {ring = 0 : i64} : !A -> !tk.tile<64x64xbf16, shared> loc("k")
      %s = tk.mma ABt %t, %q, %k : !acc, !tile, !tk.tile<64x64xbf16, shared>
      %next = tk.map (%x = %s : !acc, %z = %sum : !acc) -> !acc {
        %y = math.exp2 %x : f32
        %u = arith.addf %y, %z : f32
        tk.yield %u : f32
      }
      scf.yield %next : !acc
    } {tk.pipeline = #tk.pipeline<stages = 3>}
    tk.store %C[%m, %c0], %p : !A, !acc
  }
}

// Tests rows that are gathered by an index vector.

// CHECK-LABEL: hopper.kernel @gather
// CHECK: hopper.gather %arg0[%{{.+}}, %{{.+}}] by %{{.+}} : <?x?xbf16>, <64xi32, column> -> !hopper.fragment<64x64xbf16>
tk.kernel @gather(%A: !A {tk.name = "A"}, %I: !tk.global<?xi32> {tk.name = "I"}, %C: !A {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %i0 = tk.load %I[%m] : !tk.global<?xi32> -> !tk.vector<128xi32, shared> loc("i")
    %i = tk.read %i0 : !tk.vector<128xi32, shared> -> !tk.vector<128xi32, register, column>
    %x = tk.gather %A[%c0, %c0] by %i : !A, !tk.vector<128xi32, register, column> -> !half
    tk.store %C[%m, %c0], %x : !A, !half
  }
}

// Tests that a stage is given back behind its last use also where a scalar stands there that leaves the loop.

// CHECK-LABEL: hopper.kernel @invariant
// CHECK: hopper.role consumer
// CHECK: scf.for
// CHECK: hopper.load_fragment
// CHECK-NEXT: hopper.arrive
// CHECK: hopper.store_fragment
tk.kernel @invariant(%A: !A {tk.name = "A"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %a = tk.load %A[%m, %k] : !A -> !tile loc("a")
      %x = tk.read %a : !tile -> !half
      %row = arith.addi %n, %c1 : i32
      tk.store %C[%row, %k], %x : !A, !half
    }
  }
}
