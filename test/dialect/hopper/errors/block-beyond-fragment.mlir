// Tests that a block of a fragment is no larger than it.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  %f = hopper.uninitialized : !hopper.fragment<64x32xf32>
  // expected-error @below {{stores a block of '!hopper.shared<64x64xbf16>' out of '!hopper.fragment<64x32xf32>'}}
  hopper.store_fragment %f[%c0, %c0] to %x : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>
}
