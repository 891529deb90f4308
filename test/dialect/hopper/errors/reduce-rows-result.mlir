// Tests that the rows of a fragment are reduced to a column vector.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{reduces the rows of '!hopper.fragment<64x64xf32>' to '!hopper.vector<64xf32, column>', not to '!hopper.vector<64xf32, row>'}}
%v = hopper.reduce_rows add %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, row>
