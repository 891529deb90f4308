// Tests that a vector holds numbers.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a vector's element is an integer or a float, this is 'index'}}
"test.use"() : () -> !tk.vector<64xindex, shared>
