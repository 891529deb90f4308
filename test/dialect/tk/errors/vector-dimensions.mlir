// Tests that a vector has one dimension.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a vector has 1 dimension, this one has 2}}
"test.use"() : () -> !tk.vector<128x64xf32, register, column>
