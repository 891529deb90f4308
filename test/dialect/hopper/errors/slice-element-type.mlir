// Tests that a part of a fragment keeps its element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{takes a part of '!hopper.fragment<64x64xf32>', so the result cannot be '!hopper.fragment<64x32xbf16>'}}
%v = hopper.slice %s[0, 0] : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x32xbf16>
