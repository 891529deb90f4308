// RUN: %tk-opt %s --tk-allocate-shared --split-input-file --verify-diagnostics

// Tests that buffers that do not fit are listed.

// expected-note @below {{make them 30720 bytes smaller in all: fewer stages or smaller tiles}}
// expected-error @below {{the kernel's buffers need 262144 bytes of shared memory, but a block has 231424}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-note @below {{'a' takes 3 x 65536 bytes}}
  %a = hopper.alloc_ring "a" : !hopper.ring<3, 128x256xbf16>
  // expected-note @below {{'b' takes 1 x 65536 bytes}}
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 128x256xbf16>
}

// -----

// Tests that a row that no swizzle fits is refused.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{no swizzle fits tiles of 64 rows of 48 bytes; rows should be a multiple of 8 and their bytes of 32}}
  %a = hopper.alloc_ring "a" : !hopper.ring<3, 64x24xbf16>
}

// -----

// Tests that TMA must be able to write to every stage of a ring of vectors.

hopper.kernel @vector() {
  // expected-error @below {{a vector takes 64 bytes when it should take a multiple of 128}}
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 1x16xf32>
}
