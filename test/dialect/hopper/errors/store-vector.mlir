// Tests that a vector is stored to a row of its element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file

%v, %t = "test.values"() : () -> (!hopper.vector<64xf32, row>, !hopper.shared<1x64xbf16>)
// expected-error @below {{moves '!hopper.vector<64xf32, row>' between registers and '!hopper.shared<1x64xbf16>', which should be 1 x 64 of 'f32'}}
hopper.store_vector %v to %t : !hopper.vector<64xf32, row>, !hopper.shared<1x64xbf16>

// -----

// Only what a scanner warp holds in its lanes may lie in fragment order.
%w, %u = "test.values"() : () -> (!hopper.vector<64xf32, row>, !hopper.shared<1x64xf32>)
// expected-error @below {{puts '!hopper.vector<64xf32, row>' in fragment order, but only pairs of lanes are}}
hopper.store_vector in_order %w to %u : !hopper.vector<64xf32, row>, !hopper.shared<1x64xf32>
