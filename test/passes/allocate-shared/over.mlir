// Tests that rings that lie over another one follow each other from its first byte on, and take no bytes of their own.

// RUN: %tk-opt %s --tk-allocate-shared | FileCheck %s

// CHECK: hopper.kernel @k
// CHECK-SAME: shared_bytes = 24576
// CHECK: hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64}
// CHECK: hopper.alloc_ring "q" {offset = 8192 : i64, swizzle = 128 : i64}
// CHECK: hopper.alloc_ring "first" {offset = 8192 : i64, swizzle = 32 : i64}
// CHECK: hopper.alloc_ring "second" {offset = 11264 : i64, swizzle = 128 : i64}
hopper.kernel @k() {
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 64x128xbf16>
  %first = hopper.alloc_ring "first" : !hopper.ring<1, 80x16xbf16> over %q : !hopper.ring<1, 64x128xbf16>
  %second = hopper.alloc_ring "second" : !hopper.ring<1, 64x32xf32> over %q : !hopper.ring<1, 64x128xbf16>
}
