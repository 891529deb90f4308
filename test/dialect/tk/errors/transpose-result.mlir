// Tests that a transposed tile has rows for columns.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x128xbf16, register, row>
// expected-error @below {{makes 128 x 64 of 64 x 128, but the result is 64 x 128}}
%p = tk.transpose %a : !tk.tile<64x128xbf16, register, row> -> !tk.tile<64x128xbf16, register, col>
