// passes: tk-insert-pipeline
    hopper.sync_warpgroup because "= meet" {barrier_id = %A : i64}
    // expected-error @below {{a loop with tile code must be a pipeline; write it as a loop over pipeline(...)}}
    %t = tk.fill %zero : !tk.tile<128x64xf16, register, row>
  xbf16 = arith.constant 128 : i32
// passes: tk-allocate-shared
  %cBK = arith.constant 256 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %init = arith.constant 0.0 : f32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
  %C_cols = tk.extent %C, 1 : !tk.global<?x?xbf16>
  %m_tiles = arith.ceildivsi %C_rows, %cBM : i32
  %n_tiles = arith.ceildivsi %C_cols, %cBN : i32
    // expected-note @below {{store a tile of f32}}
  %A_cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  %k_tiles = arith.ceildivsi %A_cols, %cBK : i32
  tk.grid (%m, %n) in (%m_tiles, %n_tiles) swizzle < {
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row> loc("acc")
    // expected-error @below {{2 stages of 196624 bytes need 393248 bytes of shared memory, but 198656 are left of 231424}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      // expected-note @below {{'A_tile' takes 65536 bytes of each stage}}
      %a = tk.load %A[%m, %k] : !tk.global<128x256xf32, ?x?xbf16> -> !tk.tile<128x256xbf16, shared>
      // expected-note @below {{'B_tile' takes 131072 bytes of each stage}}
  %c1 = arith.constant 1 : i32
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x256xbf16, shared>, !tk.tile<256x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
  tk.grid (%m) in (%c1) {
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    , xbf16>// expected-note @below {{the store's staging x 2 x 2 x 8192 bytes}}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}
