// Tests that a tile of another shape is no operand of a map.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x32xf32, register, row>
// expected-error @below {{operand 0 is 128 x 32, but the result is 128 x 64}}
%p = tk.map (%x = %s : !tk.tile<128x32xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}
