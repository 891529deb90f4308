// Tests that a vector of sums of two bf16 lies in fragment order in shared memory: where it is read.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t = "test.value"() : () -> !hopper.shared<1x64xf32>
// expected-error @below {{reads '!hopper.vector<64xf32, split>', which lies in fragment order}}
%v = hopper.load_fragment %t : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, split>
