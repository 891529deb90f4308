// Tests that a reduction along columns has a warpgroup that does it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{reduces across at least 1 warpgroup, not 0}}
%v = hopper.reduce_columns add %s across 0 : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, row>
