// Tests that a shared vector has no orientation.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a shared vector has no orientation, this one has 'row'}}
"test.use"() : () -> !tk.vector<128xf32, shared, row>
