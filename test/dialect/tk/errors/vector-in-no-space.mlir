// Tests that a vector lives somewhere known.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{expected 'register' or 'shared', found 'cache'}}
"test.use"() : () -> !tk.vector<64xf32, cache>
