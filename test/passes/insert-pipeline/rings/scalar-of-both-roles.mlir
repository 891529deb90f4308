// Tests that a scalar that is the same for all tiles is computed once, before the roles that both use it.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @same
// CHECK: %[[MORE:.+]] = arith.addi %{{.+}}, %c3_i32
// CHECK: hopper.role producer
// CHECK-NOT: arith.addi %{{.+}}, %c3_i32
// CHECK: hopper.role consumer
// CHECK-NOT: arith.addi %{{.+}}, %c3_i32
tk.kernel @same(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %rows = tk.extent %A, 0 : !tk.global<?x?xbf16>
  tk.grid (%m, %n) in (%rows, %rows) {
    %more = arith.addi %rows, %c3 : i32
    %a = tk.load %A[%more, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%more, %n], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
