// Tests that the body of a map ends with what it gives.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{has a body that does not end with tk.yield}}
%p = "tk.map"(%s) ({
^bb0(%x: f32):
  "test.end"() : () -> ()
}) : (!tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row>
