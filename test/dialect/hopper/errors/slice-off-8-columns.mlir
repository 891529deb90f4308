// Tests that a part of a fragment begins where a thread's registers do.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes columns 4 to 35, but a part begins and ends at multiples of 8}}
%p = hopper.slice %s[0, 4] : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x32xf32>
