// Tests that a transposed tile keeps its element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{takes elements of 'f32' as 'bf16'; convert them with tk.map}}
%p = tk.transpose %s : !tk.tile<64x64xf32, register, row> -> !tk.tile<64x64xbf16, register, row>
