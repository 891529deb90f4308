// Tests that a row is not taken out of a fragment, whose threads hold parts of it.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes a part of '!hopper.fragment<64x64xf32>', so the result cannot be '!hopper.vector<64xf32, row>'}}
%v = hopper.slice %s[0, 0] : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, row>
