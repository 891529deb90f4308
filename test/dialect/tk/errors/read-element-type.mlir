// Tests that a tile is read as what it holds.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t = "test.value"() : () -> !tk.tile<64x64xf32, shared>
// expected-error @below {{takes elements of 'f32' as 'bf16'; convert them with tk.map}}
%r = tk.read %t : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xbf16, register, row>
