// Tests that rows are some of a tile's rows.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  // expected-error @below {{takes rows of '!hopper.shared<64x64xbf16>', so the result cannot be '!hopper.shared<128x64xbf16>'}}
  %r = hopper.rows %x, %c0 : !hopper.shared<64x64xbf16> -> !hopper.shared<128x64xbf16>
}
