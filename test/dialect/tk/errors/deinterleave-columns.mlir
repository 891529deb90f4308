// Tests that half of the columns are a multiple of 16.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x48xf32, register, row>
// expected-error @below {{needs whole pairs in multiples of 16, but '!tk.tile<64x48xf32, register, row>' has 48 columns}}
%p = tk.deinterleave odd %a : !tk.tile<64x48xf32, register, row> -> !tk.tile<64x16xf32, register, row>
