// Tests that the columns of two fragments interleaved are twice as many.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.fragment"() : () -> !hopper.fragment<64x32xf32>
// expected-error @below {{of '!hopper.fragment<64x32xf32>' has parts of as many rows and half the columns, not '!hopper.fragment<64x32xf32>'}}
%p = hopper.interleave %a, %a : !hopper.fragment<64x32xf32> -> !hopper.fragment<64x32xf32>
