// Tests that a column is not taken out of a shared tile.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, shared>
// expected-error @below {{takes a part of '!tk.tile<64x64xf32, shared>' as '!tk.vector<64xf32, register, column>': a part keeps its layout and orientation}}
%p = tk.slice %s[0, 5] : !tk.tile<64x64xf32, shared> -> !tk.vector<64xf32, register, column>
