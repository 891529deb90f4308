// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// Tests that a tile of 64 rows belongs to one warpgroup.

// CHECK-LABEL: tk.kernel @one
// CHECK-SAME: consumers = 1 : i64
tk.kernel @one(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 64 : i32
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
    %acc = tk.fill %init : !tk.tile<64x256xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<64x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<64x256xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<64x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<64x256xf32, register, row>
  }
}

// Tests that two warpgroups are preferred where the height allows them.

// CHECK-LABEL: tk.kernel @two
// CHECK-SAME: consumers = 2 : i64
tk.kernel @two(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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

// CHECK-LABEL: tk.kernel @two_wide
// CHECK-SAME: consumers = 2 : i64
tk.kernel @two_wide(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
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

// Tests that two warpgroups hold two slabs each rather than four one each.

// CHECK-LABEL: tk.kernel @two_slabs
// CHECK-SAME: consumers = 2 : i64
tk.kernel @two_slabs(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 256 : i32
  %cBN = arith.constant 192 : i32
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
    %acc = tk.fill %init : !tk.tile<256x192xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<256x192xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<256x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x192xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<256x192xf32, register, row>, !tk.tile<256x64xbf16, shared>, !tk.tile<64x192xbf16, shared>
      scf.yield %next : !tk.tile<256x192xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<256x192xf32, register, row>
  }
}

// Tests that three warpgroups share a height that two cannot.

// CHECK-LABEL: tk.kernel @three
// CHECK-SAME: consumers = 3 : i64
tk.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 192 : i32
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
    %acc = tk.fill %init : !tk.tile<192x64xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<192x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<192x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<192x64xf32, register, row>, !tk.tile<192x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<192x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<192x64xf32, register, row>
  }
}

// CHECK-LABEL: tk.kernel @three_wide
// CHECK-SAME: consumers = 3 : i64
tk.kernel @three_wide(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 192 : i32
  %cBN = arith.constant 192 : i32
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
    %acc = tk.fill %init : !tk.tile<192x192xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<192x192xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<192x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x192xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<192x192xf32, register, row>, !tk.tile<192x64xbf16, shared>, !tk.tile<64x192xbf16, shared>
      scf.yield %next : !tk.tile<192x192xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<192x192xf32, register, row>
  }
}

// Tests that a height that only one warpgroup can hold in slabs is not refused.

// CHECK-LABEL: tk.kernel @five_slabs
// CHECK-SAME: consumers = 1 : i64
tk.kernel @five_slabs(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %cBM = arith.constant 320 : i32
  %cBN = arith.constant 16 : i32
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
    %acc = tk.fill %init : !tk.tile<320x16xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<320x16xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<320x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x16xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<320x16xf32, register, row>, !tk.tile<320x64xbf16, shared>, !tk.tile<64x16xbf16, shared>
      scf.yield %next : !tk.tile<320x16xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<320x16xf32, register, row>
  }
}

// Tests that a hint is kept.

// CHECK-LABEL: tk.kernel @hint
// CHECK-SAME: consumers = 4 : i64
tk.kernel @hint(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {consumers = 4 : i64} {
  %cBM = arith.constant 256 : i32
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
    %acc = tk.fill %init : !tk.tile<256x64xf32, register, row> loc("acc")
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<256x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<256x64xbf16, shared> loc("a")
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared> loc("b")
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<256x64xf32, register, row>, !tk.tile<256x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<256x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<256x64xf32, register, row>
  }
}


// Tests that rows that move to other rows stay in one warpgroup.

// CHECK-LABEL: tk.kernel @moving_rows
// CHECK-SAME: consumers = 1 : i64
tk.kernel @moving_rows(%x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<256x64xf32, register, row>
    %u = tk.slice %t[128, 0] : !tk.tile<256x64xf32, register, row> -> !tk.tile<128x64xf32, register, row>
  }
}

// Tests that a scope of warps has a warpgroup for each four of them, and tiles of any height of 16.

// CHECK-LABEL: tk.kernel @warps
// CHECK-SAME: consumers = 3 : i64
tk.kernel @warps(%x: f32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warp of 12 (%w) {
      %t = tk.fill %x : !tk.tile<16x64xf32, register, row>
      %u = tk.map (%y = %t : !tk.tile<16x64xf32, register, row>) -> !tk.tile<16x64xf32, register, row> {
        tk.yield %y : f32
      }
    }
  }
}
