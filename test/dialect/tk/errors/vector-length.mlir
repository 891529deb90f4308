// Tests that a vector's length is a multiple of 16.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a vector's length is a positive multiple of 16, this is 100}}
"test.use"() : () -> !tk.vector<100xf32, register, column>
