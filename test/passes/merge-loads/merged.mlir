// Tests that a place that a block loads twice is loaded once, under the name that the user gave, and that other places, types
// and blocks are loaded apart.

// RUN: %tk-opt %s --tk-merge-loads --mlir-print-debuginfo | FileCheck %s

!in = !tk.global<?x?xbf16>
!shared = !tk.tile<64x64xbf16, shared>
!half = !tk.tile<64x32xbf16, shared>
!tile = !tk.tile<64x64xbf16, register, row>

// CHECK-LABEL: tk.kernel @merged
// CHECK: %[[A:.+]] = tk.load %{{.+}}[%{{.+}}, %{{.+}}] : {{.+}} -> !tk.tile<64x64xbf16, shared> loc(#[[NAMED:.+]])
// CHECK-NEXT: tk.read %[[A]]
// CHECK-NEXT: tk.read %[[A]]
// CHECK-NEXT: tk.load {{.+}} -> !tk.tile<64x32xbf16, shared>
// CHECK-NEXT: tk.load {{.+}} -> !tk.tile<64x64xbf16, shared>
// CHECK-NEXT: scf.if
// CHECK-NEXT: tk.load
// CHECK: #[[NAMED]] = loc("a")
tk.kernel @merged(%A: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  %yes = arith.constant true
  tk.grid (%m) in (%n) {
    %x = tk.load %A[%m, %c0] : !in -> !shared
    %rx = tk.read %x : !shared -> !tile
    %a = tk.load %A[%m, %c0] : !in -> !shared loc("a")
    %ra = tk.read %a : !shared -> !tile
    %narrow = tk.load %A[%m, %c0] : !in -> !half
    %other = tk.load %A[%c0, %m] : !in -> !shared
    scf.if %yes {
      %inner = tk.load %A[%m, %c0] : !in -> !shared
    }
  }
}
