// Tests that a vector is gathered by indices of its orientation.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %i, %z = "test.values"() : () -> (!tk.global<?xf32>, !tk.vector<64xi32, register, row>, i32)
// expected-error @below {{gathers '!tk.vector<64xf32, register, column>' by '!tk.vector<64xi32, register, row>', which should have its length and orientation}}
%r = tk.gather %t[%z] by %i : !tk.global<?xf32>, !tk.vector<64xi32, register, row> -> !tk.vector<64xf32, register, column>
