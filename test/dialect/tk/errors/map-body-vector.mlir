// Tests that the body of a map computes with scalars.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
%p = tk.map (%x = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
  // expected-error @below {{gives 'vector<4xf32>' in an elementwise body, which computes with scalars}}
  %0 = arith.constant dense<0.0> : vector<4xf32>
  tk.yield %x : f32
}
