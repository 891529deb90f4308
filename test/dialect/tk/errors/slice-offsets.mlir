// Tests that a part of a tile has an offset for each dimension.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, row>
// expected-error @below {{from 1 offsets; it needs 2}}
%p = tk.slice %s[16] : !tk.tile<128x64xf32, register, row> -> !tk.tile<128x32xf32, register, row>
