// Tests that a tile is written in whole parts.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %x, %i = "test.values"() : () -> (!tk.tile<64x64xf32, shared>, !tk.tile<48x64xf32, register, row>, i32)
// expected-error @below {{'!tk.tile<48x64xf32, register, row>' is no whole part of '!tk.tile<64x64xf32, shared>'}}
%r = tk.write %x to %t[%i, %i] : !tk.tile<48x64xf32, register, row>, !tk.tile<64x64xf32, shared>
