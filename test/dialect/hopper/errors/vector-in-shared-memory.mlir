// Tests that a vector in shared memory is a row as long as it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t = "test.value"() : () -> !hopper.shared<1x32xf32>
// expected-error @below {{moves '!hopper.vector<64xf32, row>' between registers and '!hopper.shared<1x32xf32>', which should be 1 x 64 of 'f32'}}
%v = hopper.load_fragment %t : !hopper.shared<1x32xf32> -> !hopper.vector<64xf32, row>
