// Tests that columns are some of a tile's columns.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t, %c = "test.values"() : () -> (!hopper.shared<64x64xbf16>, i32)
// expected-error @below {{takes columns of '!hopper.shared<64x64xbf16>', so the result cannot be '!hopper.shared<64x128xbf16>'}}
%v = hopper.columns %t, %c : !hopper.shared<64x64xbf16> -> !hopper.shared<64x128xbf16>
