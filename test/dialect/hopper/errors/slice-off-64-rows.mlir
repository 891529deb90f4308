// Tests that a part of a fragment begins where an m64 block does.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<192x64xf32>
// expected-error @below {{takes rows 32 to 95, but a part begins and ends at multiples of 64}}
%v = hopper.slice %s[32, 0] : !hopper.fragment<192x64xf32> -> !hopper.fragment<64x64xf32>
