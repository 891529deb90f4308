// Tests that a part of a tile lies inside it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{takes columns 48 to 79 of 64}}
%p = tk.slice %s[0, 48] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
