// Tests that a row that no swizzle fits is refused.

// RUN: %tk-opt %s --tk-allocate-shared --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{no swizzle fits tiles of 64 rows of 48 bytes; rows should be a multiple of 8 and their bytes of 32}}
  %a = hopper.alloc_ring "a" : !hopper.ring<3, 64x24xbf16>
}
