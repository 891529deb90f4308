// Tests that a transposed fragment keeps its element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{transposes '!hopper.fragment<64x64xf32>', so the result cannot be '!hopper.fragment<64x64xf16>'}}
%v = hopper.transpose %s across 1 : !hopper.fragment<64x64xf32> -> !hopper.fragment<64x64xf16>
