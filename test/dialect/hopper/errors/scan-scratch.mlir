// Tests that a scan of a column vector has scratch for each warp.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s, %t = "test.values"() : () -> (!hopper.vector<64xf32, column>, !hopper.shared<1x4xf32>)
// expected-error @below {{needs scratch of 32 bytes, but '!hopper.shared<1x4xf32>' has 16}}
%v = hopper.scan add %s across 2 through %t : !hopper.vector<64xf32, column>, !hopper.shared<1x4xf32>
