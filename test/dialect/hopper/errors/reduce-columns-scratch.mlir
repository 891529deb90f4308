// Tests that a reduction along columns has scratch for each column and warp.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s, %t = "test.values"() : () -> (!hopper.fragment<64x64xf32>, !hopper.shared<8x32xf32>)
// expected-error @below {{needs scratch of 2048 bytes, 4 for each of 64 columns and 8 warps, but '!hopper.shared<8x32xf32>' has 1024}}
%v = hopper.reduce_columns add %s across 2 through %t : !hopper.fragment<64x64xf32>, !hopper.shared<8x32xf32> -> !hopper.vector<64xf32, row>
