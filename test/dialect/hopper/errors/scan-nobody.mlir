// Tests that a scan has a warpgroup that does it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.vector"() : () -> !hopper.vector<64xf32, column>
// expected-error @below {{is done by at least 1 warpgroup, not 0}}
%v = hopper.scan add %s across 0 : !hopper.vector<64xf32, column>
