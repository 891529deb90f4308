// Tests that a column vector has a value for each row of a map's result.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !tk.vector<64xf32, register, column>
// expected-error @below {{operand 0 has a value for each of 64 rows, but the result is 128 x 64}}
%p = tk.map (%x = %v : !tk.vector<64xf32, register, column>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}
