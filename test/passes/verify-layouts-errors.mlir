// RUN: %tk-opt %s --tk-verify-layouts --split-input-file --verify-diagnostics

// Tests that a height that is no multiple of 64 is refused once, with a height that would do.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{make the tile 128 rows high}}
    // expected-error @below {{a tile has 96 rows when a register tile's height should be a multiple of 64}}
    %acc = tk.fill %zero : !tk.tile<96x64xf32, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<96x64xbf16, shared> loc("a")
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
    %r = tk.mma AB %acc, %a, %b : !tk.tile<96x64xf32, register, row>, !tk.tile<96x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that a product needs an f32 accumulator.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : bf16
  tk.grid (%m) in (%c1) {
    // expected-note @below {{a tile is declared here}}
    %acc = tk.fill %zero : !tk.tile<128x64xbf16, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
    // expected-note @below {{declare it as an rt<float, ...>}}
    // expected-error @below {{the accumulator holds 'bf16' when it should hold f32}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xbf16, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that a product needs a row accumulator.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{a tile is declared here}}
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, col>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
    // expected-note @below {{declare it without 'col'}}
    // expected-error @below {{the accumulator's layout is 'col' when it should be 'row'}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, col>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that a product of warpgroups does not take B from registers.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %b = tk.fill %h : !tk.tile<64x64xbf16, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
    // expected-note @below {{load it into an st<...>, or store it to one}}
    // expected-error @below {{B is in registers when it should be in shared memory}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, register, row>
  }
}

// -----

// Tests that A in registers is M x K.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<64x128xbf16, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{store it to an st<...>, or pass transpose(...) of it}}
    // expected-error @below {{A is transposed and in registers when it should be M x K}}
    %r = tk.mma AtB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<64x128xbf16, register, row>, !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that eight-bit elements are not multiplied from registers.

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<128x64xf8E4M3FN, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{put the tile into an st<...>}}
    // expected-error @below {{A holds 'f8E4M3FN' when it should hold bf16 or f16}}
    %r = tk.mma ABt %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, register, row>, !tk.tile<64x64xf8E4M3FN, shared>
  }
}

// -----

// Tests that eight-bit operands have K contiguous.

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN, shared>
    // expected-note @below {{declared here}}
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{load B as N x K and use mma_ABt}}
    // expected-error @below {{B holds 'f8E4M3FN' and is contiguous along N when it should be along K}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, shared>, !tk.tile<64x64xf8E4M3FN, shared>
  }
}

// -----

// Tests that operands the tensor cores cannot multiply are refused.

tk.kernel @k(%A: !tk.global<?x?xi32> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<128x64xi32, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<64x64xi32, shared>
    // expected-note @below {{the tensor cores have no such product}}
    // expected-error @below {{A holds 'i32' when it should hold bf16 or f16}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xi32, shared>, !tk.tile<64x64xi32, shared>
  }
}

// -----

// Tests that products of a warp take registers.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      %acc = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      %a = tk.fill %h : !tk.tile<16x64xbf16, register, row>
      // expected-note @below {{declared here}}
      %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
      // expected-note @below {{load it into an rt<...> first}}
      // expected-error @below {{B is in shared memory when it should be in registers}}
      %r = tk.mma AB %acc, %a, %b : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
    }
  }
}

// -----

// Tests that the layout tag of an operand of a warp's product fits the form.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      %acc = tk.fill %zero : !tk.tile<16x64xf32, register, row>
      %a = tk.fill %h : !tk.tile<16x64xbf16, register, row>
      // expected-note @below {{declared here}}
      %b = tk.fill %h : !tk.tile<64x64xbf16, register, row>
      // expected-note @below {{pass swap_layout of it; it costs 4 movmatrix for each 16 x 16}}
      // expected-error @below {{B of mma_AB has the layout 'row' when it should be 'col'}}
      %r = tk.mma AB %acc, %a, %b : !tk.tile<16x64xf32, register, row>, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x64xbf16, register, row>
    }
  }
}

// -----

// Tests that only warps have tiles of layout 'col'.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  tk.grid (%m) in (%c1) {
    // expected-note @below {{only in a loop over warps(n) are there products that take 'col'}}
    // expected-error @below {{a tile has the layout 'col' when it should be 'row'}}
    %a = tk.fill %h : !tk.tile<64x64xbf16, register, col>
  }
}

// -----

// Tests that vectors do not meet tiles of layout 'col'.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warp of 4 (%w) {
      // expected-note @below {{declared here}}
      %a = tk.fill %h : !tk.tile<16x64xf32, register, col>
      // expected-note @below {{reduce swap_layout of the tile}}
      // expected-error @below {{reduces a tile of layout 'col'}}
      %v = tk.reduce add rows %a : !tk.tile<16x64xf32, register, col> -> !tk.vector<16xf32, register, column>
      // expected-note @below {{vectors lie along tiles of layout 'row'}}
      // expected-error @below {{combines a tile of layout 'col' with a vector}}
      %b = tk.map (%x = %a : !tk.tile<16x64xf32, register, col>, %y = %v : !tk.vector<16xf32, register, column>) -> !tk.tile<16x64xf32, register, col> {
        %z = arith.addf %x, %y : f32
        tk.yield %z : f32
      }
    }
  }
}

// -----

// Tests that a part of a register tile begins where registers of a thread do.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{store the tile to shared memory and read the part from there}}
    // expected-error @below {{begins at row 32 and column 0 when these should be multiples of 64 and 8}}
    %b = tk.slice %a[32, 0] : !tk.tile<128x64xf32, register, row> -> !tk.tile<64x64xf32, register, row>
  }
}

// -----

// Tests that a row that no swizzle fits is refused.

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%c0) {
    // expected-note @below {{make the tile 32 columns wide}}
    // expected-error @below {{a row of 16 'f8E4M3FN' takes 16 bytes when it should be a multiple of 32}}
    %a = tk.load %A[%m, %m] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x16xf8E4M3FN, shared>
  }
}

// -----

// Tests that a store converts from f32 only.

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f16
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is declared here}}
    %t = tk.fill %zero : !tk.tile<128x64xf16, register, row>
    
    // expected-note @below {{store a tile of f32}}
    // expected-error @below {{stores a tile of 'f16' to a tensor of 'bf16'}}
    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf16, register, row>
  }
}

// -----

// Tests that a column tile cannot be stored.

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is declared here}}
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, col>
    
    // expected-note @below {{pass swap_layout of it}}
    // expected-error @below {{the tile's layout is 'col' when it should be 'row'}}
    tk.store %C[%m, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, col>
  }
}

// -----

// Tests that a store whose index may be negative is refused: TMA would trap.

tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{it is computed here}}
    %row = arith.subi %m, %c4 : i32
    // expected-note @below {{bound the index, for example by max(0, ...)}}
    // expected-error @below {{index 0 of this store may be negative when it should be at least 0}}
    tk.store %C[%row, %c0], %t : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}
