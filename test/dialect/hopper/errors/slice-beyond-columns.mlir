// Tests that a part of a fragment lies inside it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes columns 48 to 79 of 64}}
%p = hopper.slice %s[0, 48] : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x32xf32>
