// Tests that a part of a tile keeps its layout.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{takes a part of '!tk.tile<64x64xf32, register, row>' as '!tk.tile<64x32xf32, register, col>': a part keeps its layout and orientation}}
%p = tk.slice %s[0, 0] : !tk.tile<64x64xf32, register, row> -> !tk.tile<64x32xf32, register, col>
