// Tests that a tile is gathered by an index for each of its rows.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %i, %z = "test.values"() : () -> (!tk.global<?x?xf32>, !tk.vector<32xi32, register, column>, i32)
// expected-error @below {{gathers '!tk.tile<64x64xf32, register, row>' by '!tk.vector<32xi32, register, column>', which should be a column vector with its rows}}
%r = tk.gather %t[%z, %z] by %i : !tk.global<?x?xf32>, !tk.vector<32xi32, register, column> -> !tk.tile<64x64xf32, register, row>
