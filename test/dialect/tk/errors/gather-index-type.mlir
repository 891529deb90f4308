// Tests that rows are gathered by integers.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %i, %z = "test.values"() : () -> (!tk.global<?x?xf32>, !tk.vector<64xf32, register, column>, i32)
// expected-error @below {{an index is an integer, not 'f32'}}
%r = tk.gather %t[%z, %z] by %i : !tk.global<?x?xf32>, !tk.vector<64xf32, register, column> -> !tk.tile<64x64xf32, register, row>
