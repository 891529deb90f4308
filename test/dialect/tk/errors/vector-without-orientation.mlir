// Tests that a register vector needs an orientation.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a register vector needs an orientation, 'column' or 'row'}}
"test.use"() : () -> !tk.vector<128xf32, register>
