// Tests that a question about rows has no row vector as operand.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !hopper.vector<64xf32, row>
// expected-error @below {{asks about rows, so its operands are column vectors of one length, not '!hopper.vector<64xf32, row>'}}
%p = hopper.any_row (%x = %v : !hopper.vector<64xf32, row>) -> i1 {
  %0 = arith.constant true
  tk.yield %0 : i1
}
