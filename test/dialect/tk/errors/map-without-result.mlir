// Tests that a map computes something.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{computes nothing: it has no results}}
"tk.map"(%s) ({
^bb0(%x: f32):
  "tk.yield"() : () -> ()
}) : (!tk.tile<64x64xf32, register, row>) -> ()
