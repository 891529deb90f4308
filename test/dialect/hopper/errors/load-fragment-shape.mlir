// Tests that a fragment is read from a tile of its shape.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%t = "test.value"() : () -> !hopper.shared<64x32xbf16>
// expected-error @below {{reads '!hopper.shared<64x32xbf16>' as '!hopper.fragment<64x64xbf16>'}}
%v = hopper.load_fragment %t : !hopper.shared<64x32xbf16> -> !hopper.fragment<64x64xbf16>
