// RUN: %tk-opt %s --tk-insert-pipeline --split-input-file --verify-diagnostics

// Tests that the number of warpgroups must be known.

// expected-error @below {{run tk-distribute first}}
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 128 : i32
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
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// -----

// Tests that a ring that does not fit in two stages is refused, with what takes the room.

tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 2 : i64} {
  %cBM = arith.constant 128 : i32
  %cBN = arith.constant 256 : i32
  %cBK = arith.constant 256 : i32
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
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    // expected-note @below {{make the tiles smaller}}
    // expected-error @below {{2 stages of 196624 bytes need 393248 bytes of shared memory, but 198656 are left of 231424}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      // expected-note @below {{'A_tile' takes 65536 bytes of each stage}}
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x256xbf16, shared>
      // expected-note @below {{'B_tile' takes 131072 bytes of each stage}}
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<256x256xbf16, shared>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x256xbf16, shared>, !tk.tile<256x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    // expected-note @below {{the store's staging takes 2 x 2 x 8192 bytes}}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// -----

// Tests that a hint that does not fit is refused, with the depth that would.

tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 2 : i64} {
  %cBM = arith.constant 128 : i32
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
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    // expected-note @below {{ask for at most 4 stages, or leave the choice to the compiler}}
    // expected-error @below {{5 stages of 49168 bytes need 245840 bytes of shared memory, but 198656 are left}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      // expected-note @below {{'A_tile'}}
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
      // expected-note @below {{'B_tile'}}
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 5>}
    // expected-note @below {{staging}}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// -----

// Tests that a pipeline of one stage is refused.

tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 2 : i64} {
  %cBM = arith.constant 128 : i32
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
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    // expected-error @below {{a pipeline has at least 2 stages, this one asks for 1}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 1>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// -----

// Tests that a kernel without a grid is refused.

// expected-error @below {{the kernel 'nothing' has no grid; its work goes into a loop over grid(...)}}
tk.kernel @nothing() attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
}

// -----

// Tests that a second grid is refused.

tk.kernel @twice() attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-note @below {{the first one is here; put the other into a kernel of its own}}
  tk.grid (%m) in (%c1) {
  }
  // expected-error @below {{a kernel has one grid, this is its second}}
  tk.grid (%m) in (%c1) {
  }
}

// -----

// Tests that tile code outside the grid is refused.

tk.kernel @outside(%A: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'tk.load' touches tiles outside the grid; move it into the grid's loop}}
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  tk.grid (%m) in (%c1) {
  }
}

// -----

// Tests that static extents that one index walks must agree.

tk.kernel @extents(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %B: !tk.global<?x128xbf16> {tk.name = "B"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      // expected-note @below {{the other access is here}}
      %a = tk.load %A[%m, %k] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      // expected-error @below {{dimension 1 of 'B' is 128, but dimension 1 of 'A' is 64, and 'one index' walks both}}
      %b = tk.load %B[%m, %k] : !tk.global<?x128xbf16> -> !tk.tile<64x64xbf16, shared>
      %next = tk.mma ABt %acc, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
  }
}

// -----

// Tests that a loop does not hand shared tiles on: they stay at their place in a ring.

tk.kernel @carried(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{from one iteration to the next; shared tiles stay at their place, so load it in the loop, or carry it in registers}}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> (!tk.tile<64x64xbf16, shared>) : i32 {
      %b = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
      scf.yield %b : !tk.tile<64x64xbf16, shared>
    }
  }
}

// -----

// Tests that one producer cannot load for some warpgroups only.

tk.kernel @some(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      // expected-note @below {{this depends on the number of the warpgroup; make it the same for all, and mask what a warpgroup does not need}}
      scf.for %k = %c0 to %w step %c1 : i32 {
        // expected-error @below {{whether this tile is loaded differs between warpgroups, but one producer loads for all of them}}
        %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
        %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
        tk.store %A[%m, %k], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
      }
    }
  }
}

// -----

// Tests that the place of a load follows from the number by arithmetic.

tk.kernel @through(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      scf.for %k = %c0 to %n step %c1 iter_args(%i = %w) -> (i32) : i32 {
        // expected-error @below {{the place of this tile depends on the number of the warpgroup through a loop or branch; compute it from the number directly}}
        %a = tk.load %A[%i, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
        %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
        tk.store %A[%m, %k], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
  }
}

// -----

// Tests that there is one scope of warpgroups, around all that touches tiles.

tk.kernel @scopes(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 2 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
    }
    // expected-error @below {{'tk.load' touches tiles outside the scope of warpgroups or warps}}
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}

// -----

// Tests that two places of one ring do not overlap: the second tile would be used while the first one is.

tk.kernel @overlap(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 1 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{that one is loaded here}}
    %a = tk.load %A[%m, %m] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{this tile is used before the one that its ring held before is given back}}
    %b = tk.load %A[%m, %c1] {ring = 0 : i64} : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.read %b : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c1], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c1], %y : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}

// -----

// Tests that a hint for a loop without loads cannot be honoured.

tk.kernel @idle(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<64x64xf32, register, row>
    // expected-error @below {{this loop asks for 4 stages, but it loads nothing; leave the hint out}}
    scf.for %k = %c0 to %n step %c1 : i32 {
      tk.store %A[%m, %k], %t : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 4>}
  }
}
