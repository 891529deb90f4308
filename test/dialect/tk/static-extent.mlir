// Tests that a static extent is a constant.

// RUN: %tk-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: tk.kernel @static
// CHECK: %[[C:.+]] = arith.constant 128 : i32
// CHECK: tk.grid (%{{.+}}) in (%[[C]])
tk.kernel @static(%A: !tk.global<?x128xbf16>) {
  %cols = tk.extent %A, 1 : !tk.global<?x128xbf16>
  tk.grid (%m) in (%cols) {
  }
}
