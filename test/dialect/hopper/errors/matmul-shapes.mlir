// Tests that the shapes of an MMA fit together.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  %f = hopper.uninitialized : !hopper.fragment<64x32xf32>
  // expected-error @below {{accumulates an MMA of 64 x 64 and 64 x 64 in '!hopper.fragment<64x32xf32>'}}
  %r = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
}
