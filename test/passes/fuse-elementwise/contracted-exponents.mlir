// Tests that a product in an exponent is added to what comes from a tensor in one fma; and that what is computed from the
// scores, as their maximum is, may have been rounded as the product is, so that it stays a difference.

// RUN: %tk-opt %s -tk-fuse-elementwise -cse | FileCheck %s

!tile = !tk.tile<64x64xf32, register, row>
!row = !tk.vector<64xf32, register, row>
!column = !tk.vector<64xf32, register, column>

// CHECK-LABEL: tk.kernel @levels
// CHECK: %[[LEVEL:.+]] = tk.read {{.*}}!tk.vector<64xf32, register, row>
// CHECK: tk.map (%[[X:.+]] = %{{.+}} : {{.+}}, %[[L:.+]] = %[[LEVEL]] :
// CHECK-NEXT: %[[N:.+]] = arith.negf %[[L]]
// CHECK-NEXT: %[[F:.+]] = math.fma %[[X]], %{{.+}}, %[[N]]
// CHECK-NEXT: math.exp2 %[[F]]
// CHECK: %[[TOP:.+]] = tk.reduce max
// CHECK: tk.map (%[[X:.+]] = %{{.+}} : {{.+}}, %[[T:.+]] = %[[TOP]] :
// CHECK-NEXT: %[[A:.+]] = arith.mulf %[[X]],
// CHECK-NEXT: %[[D:.+]] = arith.subf %[[A]], %[[T]]
// CHECK-NEXT: math.exp2 %[[D]]
tk.kernel @levels(%X: !tk.global<?x64xf32>, %L: !tk.global<?xf32>, %Y: !tk.global<?x64xf32>, %n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    %shared = tk.load %X[%m, %c0] : !tk.global<?x64xf32> -> !tk.tile<64x64xf32, shared>
    %levels = tk.load %L[%m] : !tk.global<?xf32> -> !tk.vector<64xf32, shared>
    %x = tk.read %shared : !tk.tile<64x64xf32, shared> -> !tile
    %level = tk.read %levels : !tk.vector<64xf32, shared> -> !row
    %p = tk.map (%a = %x : !tile, %l = %level : !row) -> !tile {
      %0 = arith.mulf %a, %c : f32
      %1 = arith.subf %0, %l : f32
      %2 = math.exp2 %1 : f32
      tk.yield %2 : f32
    }
    %scaled = tk.map (%a = %x : !tile) -> !tile {
      %0 = arith.mulf %a, %c : f32
      tk.yield %0 : f32
    }
    %top = tk.reduce max rows %scaled : !tile -> !column
    %q = tk.map (%a = %x : !tile, %t = %top : !column) -> !tile {
      %0 = arith.mulf %a, %c : f32
      %1 = arith.subf %0, %t : f32
      %2 = math.exp2 %1 : f32
      tk.yield %2 : f32
    }
    tk.store %Y[%m, %c0], %p : !tk.global<?x64xf32>, !tile
    tk.store %Y[%m, %c0], %q : !tk.global<?x64xf32>, !tile
  }
}
