// Tests that a map gives elements of its result's type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xbf16, register, row> {
  // expected-error @below {{gives 'f32' for a result of 'bf16' elements; convert it first}}
  tk.yield %x : f32
}
