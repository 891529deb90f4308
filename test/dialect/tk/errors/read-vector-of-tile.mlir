// Tests that a vector is not read out of a tile.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t = "test.value"() : () -> !tk.tile<64x64xf32, shared>
// expected-error @below {{moves a vector between registers and a tile}}
%r = tk.read %t : !tk.tile<64x64xf32, shared> -> !tk.vector<64xf32, register, column>
