// Tests that a vector's orientation is 'column' or 'row'.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{expected 'column' or 'row', found 'col'}}
"test.use"() : () -> !tk.vector<128xf32, register, col>
