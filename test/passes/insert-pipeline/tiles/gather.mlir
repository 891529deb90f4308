// Tests rows that are gathered by an index vector.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!half = !tk.tile<128x64xbf16, register, row>
!A = !tk.global<?x?xbf16>

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
