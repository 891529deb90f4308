// Tests places and swizzles: the widest patterns first, so that nothing is lost to alignment, and barriers last.

// RUN: %tk-opt %s --tk-allocate-shared | FileCheck %s

// CHECK: hopper.kernel @k
// CHECK-SAME: shared_bytes = 30784
// CHECK: hopper.alloc_ring "narrow" {offset = 28672 : i64, swizzle = 32 : i64}
// CHECK: hopper.alloc_ring "wide" {offset = 0 : i64, swizzle = 128 : i64}
// CHECK: hopper.alloc_ring "middle" {offset = 16384 : i64, swizzle = 64 : i64}
// CHECK: hopper.alloc_barrier "full" arrivals 1 {offset = 30720 : i64}
// CHECK: hopper.alloc_barrier "empty" arrivals 4 {offset = 30752 : i64}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %narrow = hopper.alloc_ring "narrow" : !hopper.ring<1, 64x16xbf16>
  %wide = hopper.alloc_ring "wide" : !hopper.ring<2, 64x64xbf16>
  %middle = hopper.alloc_ring "middle" : !hopper.ring<1, 64x96xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
}
