// Tests that a part of a fragment is printed as it is read.

// RUN: %tk-opt %s -allow-unregistered-dialect | %tk-opt -allow-unregistered-dialect | FileCheck %s

%s = "test.value"() : () -> !hopper.fragment<64x128xf32>
// CHECK: %[[S:.+]] = "test.value"
// CHECK: hopper.slice %[[S]][0, 64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32>
%half = hopper.slice %s[0, 64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32>
