// Tests that columns are told apart in tiles whose rows lie in a quad of threads.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, col>
// expected-error @below {{tells columns apart, so its tiles have the layout 'row'}}
%p = tk.deinterleave %a : !tk.tile<64x64xf32, register, col> -> !tk.tile<64x32xf32, register, col>
