// Tests that columns are told apart in tiles whose rows lie in a quad of threads.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, col>
// expected-error @below {{operand #0 must be register tile of the layout 'row', but got '!tk.tile<64x64xf32, register, col>'}}
%p = tk.deinterleave %a : !tk.tile<64x64xf32, register, col> -> !tk.tile<64x32xf32, register, col>
