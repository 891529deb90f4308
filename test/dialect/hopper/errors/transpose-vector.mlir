// Tests that a transposed column vector is a row vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.vector"() : () -> !hopper.vector<64xf32, column>
// expected-error @below {{transposes '!hopper.vector<64xf32, column>', so the result cannot be '!hopper.vector<64xf32, column>'}}
%v = hopper.transpose %s across 1 : !hopper.vector<64xf32, column> -> !hopper.vector<64xf32, column>
