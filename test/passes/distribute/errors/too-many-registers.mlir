// Tests that a tile with too many registers is refused, with what would fit.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

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
    // expected-error @below {{register tiles alive here need 256 registers per thread, but with 2 compute warpgroups a thread has 222 for tiles}}
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
