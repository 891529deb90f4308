// Tests that a question about rows has column vectors as operands.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{asks about rows, so it has column vectors as operands}}
%p = hopper.any_row () -> i1 {
  %0 = arith.constant true
  tk.yield %0 : i1
}
