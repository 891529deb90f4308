// Tests that the body of a map uses no tile as a whole.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, row>) -> !tk.tile<128x64xf32, register, row> {
  // expected-error @below {{uses '!tk.tile<128x64xf32, register, row>' as a whole in an elementwise body; make it an operand of the map}}
  %m = tk.reduce max rows %s : !tk.tile<128x64xf32, register, row> -> !tk.vector<128xf32, register, column>
  tk.yield %x : f32
}
