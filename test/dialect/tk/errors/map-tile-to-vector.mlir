// Tests that a map makes no vector of a tile.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{operand 0 is a tile, 128 x 64, but the result is a vector with a value for each of 128 rows; tk.reduce makes one of the other}}
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.vector<128xf32, register, column> {
  tk.yield %x : f32
}
