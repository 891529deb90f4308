// Tests that a scalar is no operand of a map.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%c = arith.constant 1.0 : f32
// expected-error @below {{an operand of a map is a tile or a vector, this is 'f32'}}
%p = tk.map (%x = %c : f32) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}
