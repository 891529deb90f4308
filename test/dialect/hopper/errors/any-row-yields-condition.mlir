// Tests that a question about rows ends with one condition.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !hopper.vector<64xf32, column>
// expected-error @below {{has a body that does not end with tk.yield of one condition}}
%p = hopper.any_row (%x = %v : !hopper.vector<64xf32, column>) -> i1 {
  tk.yield %x : f32
}
