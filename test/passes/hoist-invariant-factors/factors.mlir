// Tests that exponentials of coordinates are computed before the loop, as a tile or a vector, and what stays in it.

// RUN: %tk-opt %s --tk-hoist-invariant-factors | FileCheck %s

!tile = !tk.tile<64x64xf32, register, row>
!wide = !tk.tile<64x400xf32, register, row>
!shared = !tk.tile<64x64xbf16, shared>

// CHECK-LABEL: tk.kernel @decay
// CHECK: %[[TILE:.+]] = tk.map () at (%[[I:.+]], %[[J:.+]]) -> !tk.tile<64x64xf32, register, row>
// CHECK-NEXT: arith.subi %[[I]], %[[J]]
// CHECK: math.exp2
// CHECK: %[[ROWS:.+]] = tk.map () at (%[[I:.+]]) -> !tk.vector<64xf32, register, column>
// CHECK-NEXT: arith.sitofp %[[I]]
// CHECK: math.exp2
// CHECK: %[[COLUMNS:.+]] = tk.map () at (%[[J:.+]]) -> !tk.vector<64xf32, register, row>
// CHECK-NEXT: arith.sitofp %[[J]]
// CHECK: scf.for
// CHECK-NOT: math.exp2
// CHECK: tk.map ({{.+}}, {{%.+}} = %[[TILE]] : !tk.tile<64x64xf32, register, row>) at
// CHECK: arith.select
// CHECK: tk.map ({{.+}}, {{%.+}} = %[[ROWS]] : !tk.vector<64xf32, register, column>) at
// CHECK: tk.map ({{.+}}, {{%.+}} = %[[COLUMNS]] : !tk.vector<64xf32, register, row>) at
tk.kernel @decay(%Q: !tk.global<?x64xbf16>, %O: !tk.global<?x64xf32>, %n: i32, %log: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %q = tk.load %Q[%k, %c0] : !tk.global<?x64xbf16> -> !shared
      %s0 = tk.fill %zero : !tile
      %s = tk.mma ABt %s0, %q, %q : !tile, !shared, !shared
      %d = tk.map (%x = %s : !tile) at (%i, %j) -> !tile {
        %apart = arith.subi %i, %j : i32
        %far = arith.sitofp %apart : i32 to f32
        %power = arith.mulf %log, %far : f32
        %decay = math.exp2 %power : f32
        %y = arith.mulf %x, %decay : f32
        %above = arith.cmpi sgt, %j, %i : i32
        %z = arith.select %above, %zero, %y : f32
        tk.yield %z : f32
      }
      %e = tk.map (%x = %d : !tile) at (%i, %j) -> !tile {
        %far = arith.sitofp %i : i32 to f32
        %power = arith.mulf %log, %far : f32
        %decay = math.exp2 %power : f32
        %y = arith.mulf %x, %decay : f32
        tk.yield %y : f32
      }
      %f = tk.map (%x = %e : !tile) at (%i, %j) -> !tile {
        %far = arith.sitofp %j : i32 to f32
        %root = math.sqrt %far : f32
        %y = arith.divf %x, %root : f32
        tk.yield %y : f32
      }
      tk.store %O[%k, %c0], %f : !tk.global<?x64xf32>, !tile
    }
  }
}

// What an iteration changes, what is no special function, and what has no room stay where they are.
// CHECK-LABEL: tk.kernel @stays
// CHECK: tk.grid
// CHECK-NEXT: scf.for
// CHECK: math.exp2
// CHECK: math.exp2
tk.kernel @stays(%Q: !tk.global<?x64xbf16>, %O: !tk.global<?x64xf32>, %n: i32, %log: f32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    scf.for %k = %c0 to %n step %c1 : i32 {
      %s = tk.fill %zero : !tile
      %d = tk.map (%x = %s : !tile) at (%i, %j) -> !tile {
        %at = arith.addi %i, %k : i32
        %far = arith.sitofp %at : i32 to f32
        %decay = math.exp2 %far : f32
        %y = arith.mulf %x, %decay : f32
        %place = arith.sitofp %j : i32 to f32
        %scaled = arith.mulf %place, %log : f32
        %z = arith.addf %y, %scaled : f32
        tk.yield %z : f32
      }
      tk.store %O[%k, %c0], %d : !tk.global<?x64xf32>, !tile
      %w = tk.fill %zero : !wide
      %e = tk.map (%x = %w : !wide) at (%i, %j) -> !wide {
        %apart = arith.subi %i, %j : i32
        %far = arith.sitofp %apart : i32 to f32
        %decay = math.exp2 %far : f32
        %y = arith.mulf %x, %decay : f32
        tk.yield %y : f32
      }
      tk.store %O[%k, %c0], %e : !tk.global<?x64xf32>, !wide
    }
  }
}
