// RUN: %tk-opt %s --tk-allocate-shared | FileCheck %s

// Tests places and swizzles: the widest patterns first, so that nothing is lost to alignment, and barriers last.

// CHECK: hopper.kernel @k
// CHECK-SAME: shared_bytes = 30784
// CHECK: hopper.alloc_ring "narrow" {offset = 28672 : i64, swizzle = 32 : i64}
// CHECK: hopper.alloc_ring "wide" {offset = 0 : i64, swizzle = 128 : i64}
// CHECK: hopper.alloc_ring "middle" {offset = 16384 : i64, swizzle = 64 : i64}
// CHECK: hopper.alloc_barrier "full" arrivals 1 {offset = 30720 : i64}
// CHECK: hopper.alloc_barrier "empty" arrivals 4 {offset = 30752 : i64}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %narrow = hopper.alloc_ring "narrow" : !hopper.ring<1, 64x16xbf16>
  %wide = hopper.alloc_ring "wide" : !hopper.ring<2, 64x64xbf16>
  %middle = hopper.alloc_ring "middle" : !hopper.ring<1, 64x96xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
}

// Tests that vectors have no swizzle and begin where TMA can write.

// CHECK: hopper.kernel @vectors
// CHECK: hopper.alloc_ring "v" {offset = 1024 : i64, swizzle = 0 : i64}
// CHECK: hopper.alloc_ring "t" {offset = 0 : i64, swizzle = 32 : i64}
// CHECK: hopper.alloc_ring "w" {offset = 1280 : i64, swizzle = 0 : i64}
hopper.kernel @vectors() {
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 1x32xf32>
  %t = hopper.alloc_ring "t" : !hopper.ring<1, 32x16xbf16>
  %w = hopper.alloc_ring "w" : !hopper.ring<1, 1x64xbf16>
}
