// Tests that a row vector has whole groups of 8 columns.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a row vector's length is a positive multiple of 8, this is 12}}
"test.use"() : () -> !hopper.vector<12xf32, row>
