// Tests that a part of a tile is found by two indices.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %i = "test.values"() : () -> (!tk.tile<64x64xf32, shared>, i32)
// expected-error @below {{a part of a tile is found by 2 indices, but 1 are given}}
%r = tk.read %t[%i] : !tk.tile<64x64xf32, shared> -> !tk.tile<64x64xf32, register, row>
