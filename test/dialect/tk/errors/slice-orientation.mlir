// Tests that a part of a vector keeps its orientation.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.vector"() : () -> !tk.vector<128xf32, register, column>
// expected-error @below {{a part keeps its layout and orientation}}
%p = tk.slice %v[16] : !tk.vector<128xf32, register, column> -> !tk.vector<64xf32, register, row>
