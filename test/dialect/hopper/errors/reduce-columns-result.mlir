// Tests that the columns of a fragment are reduced to a row vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{reduces the columns of '!hopper.fragment<64x64xf32>' to '!hopper.vector<64xf32, row>', not to '!hopper.vector<64xf32, column>'}}
%v = hopper.reduce_columns add %s across 1 : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
