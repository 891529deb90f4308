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

// Tests that operands in registers are refused.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<128x64xbf16, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{load it into an st<...>}}
    // expected-error @below {{A is in registers when it should be in shared memory}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that operands the tensor cores multiply into f32 but the runtime does not are refused.

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{not supported yet}}
    // expected-error @below {{A holds 'f8E4M3FN' when it should hold bf16 or f16}}
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

// Tests that a transposed A is refused.

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-note @below {{load A as M x K}}
    // expected-error @below {{A is transposed when it should be M x K}}
    %r = tk.mma AtB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<64x128xbf16, shared>, !tk.tile<64x64xbf16, shared>
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

// Tests that outputs that stmatrix cannot write are refused.

// expected-note @below {{is declared here}}
tk.kernel @k(%C: !tk.global<?x?xf32> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c4) {
    %t = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    
    // expected-note @below {{only 16-bit outputs are supported yet}}
    // expected-error @below {{the tensor holds 'f32' when it should hold bf16 or f16}}
    tk.store %C[%m, %c0], %t : !tk.global<?x?xf32>, !tk.tile<128x64xf32, register, row>
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
    
    // expected-note @below {{only tiles of layout 'row'}}
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
