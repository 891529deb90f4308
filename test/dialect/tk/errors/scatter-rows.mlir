// Tests that a tile is scattered by an index for each of its rows.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %i, %z = "test.values"() : () -> (!tk.global<?x?xf32>, !tk.vector<32xi32, register, column>, i32)
%x = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{scatters '!tk.tile<64x64xf32, register, row>' by '!tk.vector<32xi32, register, column>', which should be a column vector with its rows}}
tk.scatter %t[%z, %z], %x by %i : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>, !tk.vector<32xi32, register, column>
