// Tests that a kernel without a grid is refused.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

// expected-error @below {{the kernel 'nothing' has no grid; its work goes into a loop over grid(...)}}
tk.kernel @nothing() attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
}
