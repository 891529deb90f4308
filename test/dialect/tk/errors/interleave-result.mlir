// Tests that two tiles make pairs of their own elements.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x32xf32, register, row>
// expected-error @below {{of '!tk.tile<64x64xbf16, register, row>' has parts of as many rows and half the columns, not '!tk.tile<64x32xf32, register, row>'}}
%p = tk.interleave %a, %a : !tk.tile<64x32xf32, register, row> -> !tk.tile<64x64xbf16, register, row>
