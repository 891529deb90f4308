// Tests that a column vector has a value for each row of whole warpgroups.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a column vector's length is a positive multiple of 64, this is 32}}
"test.use"() : () -> !hopper.vector<32xf32, column>
