// Tests that rings must fit into the one that they lie over, all together.

// RUN: %tk-opt %s --split-input-file --tk-allocate-shared --verify-diagnostics

hopper.kernel @k() {
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 64x64xbf16>
  %first = hopper.alloc_ring "first" : !hopper.ring<1, 64x32xbf16> over %q : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{the rings that lie over 'q' take 9216 bytes, but it has 8192}}
  %second = hopper.alloc_ring "second" : !hopper.ring<1, 80x32xbf16> over %q : !hopper.ring<1, 64x64xbf16>
}

// -----

hopper.kernel @too_large() {
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{takes 16384 bytes, but the ring that it lies over has 8192}}
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16> over %q : !hopper.ring<1, 64x64xbf16>
}

// -----

hopper.kernel @nested() {
  %q = hopper.alloc_ring "q" : !hopper.ring<1, 64x64xbf16>
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16> over %q : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{lies over a ring that has no memory of its own}}
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16> over %a : !hopper.ring<1, 64x64xbf16>
}
