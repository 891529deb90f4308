// Tests that the results of a map have one shape.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%c = arith.constant 1.0 : f32
// expected-error @below {{makes results of one shape, but result 0 is '!tk.tile<128x64xf32, register, row>' and result 1 is '!tk.tile<128x32xf32, register, row>'}}
%p:2 = tk.map () -> (!tk.tile<128x64xf32, register, row>, !tk.tile<128x32xf32, register, row>) {
  tk.yield %c, %c : f32, f32
}
