// Tests what a kernel whose consumers ping-pong over tiles must not do.

// RUN: %tk-opt %s --tk-insert-pipeline --split-input-file --verify-diagnostics -o /dev/null

// expected-error @below {{with 'pingpong_tiles', a block computes tile after tile, but 'persistent(false)' gives it one}}
tk.kernel @one_tile(%A: !tk.global<?x64xbf16>, %C: !tk.global<?x64xbf16>) attributes {consumers = 2 : i64, persistent = false, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %r = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c0], %r : !tk.global<?x64xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}

// -----

// expected-error @below {{'pingpong_tiles' is for kernels that multiply}}
tk.kernel @no_matmul(%A: !tk.global<?x64xbf16>, %C: !tk.global<?x64xbf16>) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %r = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c0], %r : !tk.global<?x64xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}

// -----

// expected-error @below {{with 'pingpong_tiles', warps exchange nothing through shared memory; leave the hint out, or keep the tile in registers}}
tk.kernel @exchange(%A: !tk.global<?x64xbf16>, %C: !tk.global<?xf32>) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %s = tk.mma ABt %start, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    %sum = tk.reduce add columns %s : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, row>
    tk.store %C[%m], %sum : !tk.global<?xf32>, !tk.vector<64xf32, register, row>
  }
}

// -----

tk.kernel @branch(%A: !tk.global<?x64xbf16>, %C: !tk.global<?x64xbf16>, %flag: i1) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{this stands between them}}
    scf.if %flag {
      // expected-error @below {{with 'pingpong_tiles', a tile is loaded in the grid's loop or in a loop that stands directly in it}}
      %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %s = tk.mma ABt %start, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      tk.store %C[%m, %c0], %s : !tk.global<?x64xbf16>, !tk.tile<64x64xf32, register, row>
    }
  }
}

// -----

tk.kernel @loop_after(%A: !tk.global<?x64xbf16>, %C: !tk.global<?x64xbf16>) attributes {consumers = 2 : i64, tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-note @below {{the last MMA is in this}}
    %s = tk.mma ABt %start, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    tk.store %C[%m, %c0], %s : !tk.global<?x64xbf16>, !tk.tile<64x64xf32, register, row>
    scf.for %i = %c0 to %c3 step %c1 : i32 {
      // expected-error @below {{with 'pingpong_tiles', no loop after the last MMA loads}}
      %b = tk.load %A[%i, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      %r = tk.read %b : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      tk.store %C[%i, %c0], %r : !tk.global<?x64xbf16>, !tk.tile<64x64xbf16, register, row>
    }
  }
}
