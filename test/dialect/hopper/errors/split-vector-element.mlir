// Tests that a vector whose elements are sums of two bf16 is one of floats.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a vector of 'bf16' is not split; a float is the sum of two bf16}}
"test.use"() : () -> !hopper.vector<64xbf16, split>
