// Tests that vectors have no swizzle and begin where TMA can write.

// RUN: %tk-opt %s --tk-allocate-shared | FileCheck %s

// CHECK: hopper.kernel @vectors
// CHECK: hopper.alloc_ring "v" {offset = 1024 : i64, swizzle = 0 : i64}
// CHECK: hopper.alloc_ring "t" {offset = 0 : i64, swizzle = 32 : i64}
// CHECK: hopper.alloc_ring "w" {offset = 1280 : i64, swizzle = 0 : i64}
hopper.kernel @vectors() {
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 1x32xf32>
  %t = hopper.alloc_ring "t" : !hopper.ring<1, 32x16xbf16>
  %w = hopper.alloc_ring "w" : !hopper.ring<1, 1x64xbf16>
}
