// Tests that a vector of sums of two bf16 lies in fragment order in shared memory: where it is written.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%v = "test.value"() : () -> !hopper.vector<64xf32, lanes>
%t = "test.value"() : () -> !hopper.shared<1x64xf32>
// expected-error @below {{splits '!hopper.vector<64xf32, lanes>', but only floats in fragment order are}}
hopper.store_vector split %v to %t : !hopper.vector<64xf32, lanes>, !hopper.shared<1x64xf32>
