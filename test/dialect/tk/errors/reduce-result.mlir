// Tests that the rows of a tile are reduced to a column vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{reduces the rows of '!tk.tile<128x64xf32, register, row>' to '!tk.vector<128xf32, register, column>', not to '!tk.vector<64xf32, register, row>'}}
%v = tk.reduce add rows %s : !tk.tile<128x64xf32, register, row> -> !tk.vector<64xf32, register, row>
