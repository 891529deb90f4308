// Tests that a map gives one value for each result.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{gives 2 values for 1 results}}
  tk.yield %x, %x : f32, f32
}
