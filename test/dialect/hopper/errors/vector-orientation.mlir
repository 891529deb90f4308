// Tests that a vector of a warpgroup has an orientation.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a warpgroup's vector needs an orientation, 'column' or 'row'}}
"test.use"() : () -> !hopper.vector<64xf32, none>
