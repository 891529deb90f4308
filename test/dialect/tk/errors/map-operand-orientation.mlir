// Tests that a column vector is no operand of a map that makes a row vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !tk.vector<128xf32, register, column>
// expected-error @below {{operand 0 has a value for each of 128 rows, but the result has a value for each of 128 columns}}
%p = tk.map (%x = %v : !tk.vector<128xf32, register, column>) -> !tk.vector<128xf32, register, row> {
  tk.yield %x : f32
}
