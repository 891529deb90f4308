// Tests that columns of bf16 are scaled, by as many factors that are sums of two bf16.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics --split-input-file

%x = "test.value"() : () -> !hopper.fragment<64x64xbf16>
%f = "test.value"() : () -> !hopper.vector<64xf32, row>
// expected-error @below {{scales '!hopper.fragment<64x64xbf16>' by '!hopper.vector<64xf32, row>', but only columns of bf16 by as many 'split' factors}}
%y = hopper.scale_columns %x, %f : !hopper.fragment<64x64xbf16>, !hopper.vector<64xf32, row>

// -----

%x = "test.value"() : () -> !hopper.fragment<64x128xbf16>
%f = "test.value"() : () -> !hopper.vector<64xf32, split>
// expected-error @below {{scales '!hopper.fragment<64x128xbf16>' by '!hopper.vector<64xf32, split>', but only}}
%y = hopper.scale_columns %x, %f : !hopper.fragment<64x128xbf16>, !hopper.vector<64xf32, split>

// -----

%x = "test.value"() : () -> !hopper.fragment<64x64xf16>
%f = "test.value"() : () -> !hopper.vector<64xf32, split>
// expected-error @below {{scales '!hopper.fragment<64x64xf16>' by '!hopper.vector<64xf32, split>', but only}}
%y = hopper.scale_columns %x, %f : !hopper.fragment<64x64xf16>, !hopper.vector<64xf32, split>
