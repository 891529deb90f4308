// Tests that a part of a tile keeps its element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{takes elements of 'f32' as 'bf16'; convert them with tk.map}}
%p = tk.slice %s[0, 0] : !tk.tile<64x64xf32, register, row> -> !tk.tile<64x32xbf16, register, row>
