// Tests rows that are scattered by an index vector, and a row vector, which one warpgroup stores for all.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!half = !tk.tile<128x64xf32, register, row>
!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @scatter
// CHECK: %[[COLUMN:.+]] = arith.muli %{{.+}}, %c64
// CHECK: hopper.scatter add %{{.+}} by %{{.+}} to %arg0[%{{.+}}, %[[COLUMN]]] : !hopper.fragment<64x64xf32>, <64xi32, column>, <?x?xbf16>
// CHECK: scf.if
// CHECK: hopper.scatter %{{.+}} by %{{.+}} to %arg1[%{{.+}}] : !hopper.vector<64xi32, row>, <64xi32, row>, <?xi32>
tk.kernel @scatter(%A: !A {tk.name = "A"}, %I: !tk.global<?xi32> {tk.name = "I"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  tk.grid (%m) in (%c1) {
    %i = tk.fill %c1 : !tk.vector<128xi32, register, column>
    %j = tk.fill %c0 : !tk.vector<64xi32, register, row>
    %x = tk.fill %one : !half
    tk.scatter add %A[%c0, %m], %x by %i : !A, !half, !tk.vector<128xi32, register, column>
    tk.scatter %I[%m], %j by %j : !tk.global<?xi32>, !tk.vector<64xi32, register, row>, !tk.vector<64xi32, register, row>
  }
}
