// RUN: %tk-opt %s --split-input-file --verify-diagnostics

// Tests that equal extents name dimensions that exist.

// expected-error @below {{names a dimension that no argument has}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {equal_extents = [#hopper.equal_extent<[0, 0], [1, 2] by "m" line 5>]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
}

// -----

// Tests that a producer has no argument.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{a producer has 0 body arguments, this one has 1}}
  hopper.role producer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that a role has warpgroups.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{needs at least one warpgroup, this one has 0}}
  hopper.role consumer warpgroups 0 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that rows are some of a tile's rows.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  // expected-error @below {{takes rows of '!hopper.shared<64x64xbf16>', so the result cannot be '!hopper.shared<128x64xbf16>'}}
  %r = hopper.rows %x, %c0 : !hopper.shared<64x64xbf16> -> !hopper.shared<128x64xbf16>
}

// -----

// Tests that a block of a fragment is no larger than it.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  %f = hopper.uninitialized : !hopper.fragment<64x32xf32>
  // expected-error @below {{stores a block of '!hopper.shared<64x64xbf16>' out of '!hopper.fragment<64x32xf32>'}}
  hopper.store_fragment %f[%c0, %c0] to %x : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>
}

// -----

// Tests that the shapes of a product fit together.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
  %f = hopper.uninitialized : !hopper.fragment<64x32xf32>
  // expected-error @below {{accumulates a product of 64 x 64 and 64 x 64 in '!hopper.fragment<64x32xf32>'}}
  %r = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
}

// -----

// Tests that at most 7 groups can stay pending.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{maximum value is 7}}
  hopper.wait_products 8 because "a test"
}

// -----

// Tests that a tile's extents are bounded.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{a tile has 1 to 65536 rows and columns, these are 0 x 64}}
  %f = hopper.uninitialized : !hopper.fragment<0x64xf32>
}

// -----

// Tests that a tile holds numbers.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{a tile's element is an integer or a float, this is 'index'}}
  %x = hopper.alloc_ring "x" : !hopper.ring<4, 64x64xindex>
}

// -----

// Tests that a ring has stages.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{a ring has 1 to 65536 stages, this one has 0}}
  %x = hopper.alloc_barrier "x" arrivals 1 : !hopper.barrier<0>
}

// -----

// Tests that a tile of a ring has the ring's shape.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  // expected-error @below {{custom op 'hopper.slot' invalid kind of Type specified}}
  %x = hopper.slot %a[%c0] : !hopper.shared<64x64xbf16>
}
