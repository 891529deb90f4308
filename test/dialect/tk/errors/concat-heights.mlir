// Tests that tiles that are joined by columns have equally many rows.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
%b = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{joins by columns, so operand 1 and the result have equally many rows, but 128 and 64 differ}}
%p = tk.concat columns %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<128x64xf32, register, row> -> !tk.tile<64x128xf32, register, row>
