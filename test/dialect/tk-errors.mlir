// RUN: %tk-opt %s --split-input-file --verify-diagnostics

// Tests that a tile has two dimensions.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile has 2 dimensions, this one has 3}}
  %t = tk.fill %zero : !tk.tile<64x64x4xf32, register, row>
}

// -----

// Tests that a tile's extents are multiples of 16.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile's rows and columns are positive multiples of 16, these are 64 x 20}}
  %t = tk.fill %zero : !tk.tile<64x20xf32, register, row>
}

// -----

// Tests that a tile's extents are bounded.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile has at most 65536 rows and columns, these are 1048576 x 16}}
  %t = tk.fill %zero : !tk.tile<1048576x16xf32, register, row>
}

// -----

// Tests that a register tile has a layout.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a register tile needs a layout tag, 'row' or 'col'}}
  %t = tk.fill %zero : !tk.tile<64x64xf32, register>
}

// -----

// Tests that a tile lives somewhere known.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{expected 'register' or 'shared', found 'tensor'}}
  %t = tk.fill %zero : !tk.tile<64x64xf32, tensor>
}

// -----

// Tests that a tensor holds numbers.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tensor's element is an integer or a float, this is 'index'}}
  %t = tk.load %A[%c1, %c1] : !tk.global<?x?xindex> -> !tk.tile<64x64xbf16, shared>
}

// -----

// Tests that a load has an index for each dimension.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tensor of rank 2 needs as many indices, but 1 are given}}
  %t = tk.load %A[%c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
}

// -----

// Tests that a load keeps the element type.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{loads 'bf16' into a tile of 'f16'}}
  %t = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xf16, shared>
}

// -----

// Tests that a tile needs rows and columns.

tk.kernel @k(%A: !tk.global<?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{a tile needs a tensor of rank 2 or more, this one has rank 1}}
  %t = tk.load %A[%c1] : !tk.global<?xbf16> -> !tk.tile<64x64xbf16, shared>
}

// -----

// Tests that an extent exists.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{dimension 2 of a tensor of rank 2}}
  %t = tk.extent %A, 2 : !tk.global<?x?xbf16>
}

// -----

// Tests that an order of blocks in groups needs two dimensions.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'swizzle' needs two dimensions, this grid has 1}}
  tk.grid (%m) in (%c1) swizzle 8 {
  }
}

// -----

// Tests that a grid has as many indices as extents.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{has 2 extents but 1 indices}}
  tk.grid (%m) in (%c1, %c1) {
  }
}

// -----

// Tests that the shapes of a product fit together.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x32xbf16, shared>
  %b = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  // expected-error @below {{A is 64 x 32 but B is 64 x 64: the inner sizes 32 and 64 must be equal}}
  %r = tk.mma AB %acc, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x32xbf16, shared>, !tk.tile<64x64xbf16, shared>
}

// -----

// Tests that a kernel's arguments are tensors and scalars.

// expected-error @below {{argument 0 is neither a global tensor nor a scalar, but}}
tk.kernel @k(%t: !tk.tile<64x64xbf16, shared>) {
  %c1 = arith.constant 1 : i32
}
