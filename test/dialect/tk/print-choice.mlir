// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// Tests that a function which chooses among kernels keeps its form; they stand before it or after it.

// CHECK: tk.choice @sum of [@sum_wide, @sum_narrow]
tk.kernel @sum_wide(%A: !tk.global<?x?xbf16>) {
}
tk.choice @sum of [@sum_wide, @sum_narrow]
tk.kernel @sum_narrow(%A: !tk.global<?x?xbf16>) {
}
