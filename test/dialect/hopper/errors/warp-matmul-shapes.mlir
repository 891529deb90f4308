// Tests that the shapes of a warp's MMA fit together.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%acc, %a, %b = "test.values"() : () -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.fragment<64x64xbf16>)
// expected-error @below {{accumulates an MMA of 64 x 64 and the transpose of 16 x 64 in '!hopper.fragment<64x64xf32>'}}
%r = hopper.mma_sync %acc, %a, %b : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.fragment<64x64xbf16>
