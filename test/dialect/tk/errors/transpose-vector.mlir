// Tests that a transposed column vector is a row vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.vector"() : () -> !tk.vector<64xf32, register, column>
// expected-error @below {{transposes '!tk.vector<64xf32, register, column>', so the result cannot be '!tk.vector<64xf32, register, column>'}}
%p = tk.transpose %s : !tk.vector<64xf32, register, column> -> !tk.vector<64xf32, register, column>
