// Tests that the body of a map holds scalar ops without effects.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{cannot stand in an elementwise body, which holds scalar ops without effects}}
  %y = "test.random"(%x) : (f32) -> f32
  tk.yield %y : f32
}
