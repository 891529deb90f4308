// RUN: %tk-opt %s --tk-distribute --split-input-file --verify-diagnostics

// Tests that a tile with too many registers is refused, with what would fit.

tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 256 : i32
  %cBN = arith.constant 256 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    // expected-error @below {{register tiles alive here need 256 registers per thread, but with 2 compute warpgroups a thread has 208 for tiles}}
    // expected-note-re @below {{a tile holds 256 from here to line {{[0-9]+}}}}
    // expected-note @below {{a tile of this height fits with at most 208 columns}}
    %acc = tk.fill %init : !tk.tile<256x256xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<256x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<256x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<256x256xf32, register, row>, !tk.tile<256x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<256x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<256x256xf32, register, row>
  }
}

// -----

// Tests that a product wider than three warpgroups can start is refused.

tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 192 : i32
  %cBN = arith.constant 256 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    // expected-note @below {{a tile is declared here, with 192 rows}}
    %acc = tk.fill %init : !tk.tile<192x256xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<192x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<192x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
      // expected-note @below {{use a narrower tile}}
      // expected-error @below {{a product of 256 columns does not fit 3 compute warpgroups, which allow at most 200 columns}}
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<192x256xf32, register, row>, !tk.tile<192x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<192x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<192x256xf32, register, row>
  }
}

// -----

// Tests that a hint that does not divide the height is refused.

// expected-note @below {{the kernel asks for 3 compute warpgroups; a height of 192 or a multiple of it would do}}
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 3 : i64} {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 64 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    // expected-error @below {{a tile has 128 rows, which 3 compute warpgroups cannot share in slabs of 64}}
    %acc = tk.fill %init : !tk.tile<128x64xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<128x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}

// -----

// Tests that a hint that no block can hold is refused.

// expected-error @below {{a block has 1 to 4 compute warpgroups, not 9}}
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 9 : i64} {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 64 : i32
  %cBK = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %C_rows = tk.extent %C, 0 : !tk.global<?x?xbf16>
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    %acc = tk.fill %init : !tk.tile<128x64xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<128x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x64xf32, register, row>
  }
}

// -----

// Tests that two tiles alive at once count together, and that both are named.

tk.kernel @pair(%C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m) in (%c4) {
    // expected-note @below {{a tile holds 128 from here to line}}
    %s = tk.map () at (%row, %col) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.sitofp %col : i32 to f32
      tk.yield %0 : f32
    }
    tk.store %C[%m, %m], %s : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    // expected-note @below {{a tile holds 128 from here to line}}
    // expected-error @below {{register tiles alive here need 256 registers per thread}}
    // expected-note @below {{make these tiles 48 registers smaller in all}}
    %t = tk.map () at (%row, %col) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.sitofp %col : i32 to f32
      tk.yield %0 : f32
    }
    tk.store %C[%c4, %m], %t : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    %u = tk.map (%x = %s : !tk.tile<128x256xf32, register, row>, %y = %t : !tk.tile<128x256xf32, register, row>) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.addf %x, %y : f32
      tk.yield %0 : f32
    }
    tk.store %C[%m, %c0], %u : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// -----

// Tests that rows that move do not fit two warpgroups.

// expected-note @below {{one would do, or write the tile to shared memory and read the rows from there}}
tk.kernel @rows(%x: f32) attributes {consumers = 2 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<256x64xf32, register, row>
    // expected-error @below {{this moves rows of a tile to other rows, but 2 compute warpgroups hold different rows of it}}
    %u = tk.slice %t[128, 0] : !tk.tile<256x64xf32, register, row> -> !tk.tile<128x64xf32, register, row>
  }
}

// -----

// Tests that warps come in whole warpgroups.

tk.kernel @warps() {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{the scope has 6 warps when it should have a multiple of 4, whole warpgroups}}
    tk.each warp of 6 (%w) {
    }
  }
}

// -----

// Tests that a block has room for the scope's warpgroups.

tk.kernel @many() {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{the scope has 5 warpgroups, but a block has at most 4 compute warpgroups}}
    tk.each warpgroup of 5 (%w) {
    }
  }
}

// -----

// Tests that a hint and a scope agree.

// expected-error @below {{the kernel asks for 3 compute warpgroups}}
tk.kernel @hint() attributes {consumers = 3 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{but its scope here has 2}}
    tk.each warpgroup of 2 (%w) {
    }
  }
}
