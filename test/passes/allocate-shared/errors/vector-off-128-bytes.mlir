// Tests that TMA must be able to write to every stage of a ring of vectors.

// RUN: %tk-opt %s --tk-allocate-shared --verify-diagnostics

hopper.kernel @vector() {
  // expected-error @below {{a vector takes 64 bytes when it should take a multiple of 128}}
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 1x16xf32>
}
