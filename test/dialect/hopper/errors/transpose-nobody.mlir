// Tests that a transpose has a warpgroup that does it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{is done by at least 1 warpgroup, not 0}}
%v = hopper.transpose %s across 0 : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x64xf32>
