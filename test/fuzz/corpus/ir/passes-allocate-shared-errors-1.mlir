// passes: tk-allocate-shared
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
