// Tests that tiles that are joined make a result as wide as they are together.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{joins 128 columns to a result that has 64}}
%p = tk.concat columns %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xf32, register, row> -> !tk.tile<64x64xf32, register, row>
