// Tests kernels whose two warpgroups cannot ping-pong over tiles.

// RUN: %tk-opt %s --tk-distribute --split-input-file --verify-diagnostics

// expected-error @below {{'pingpong_tiles' is for 2 compute warpgroups, but the kernel asks for 3}}
tk.kernel @three() attributes {consumers = 3 : i64, tk.pingpong_tiles} {
  %c1 = arith.constant 1 : i32
}

// -----

tk.kernel @scope() attributes {tk.pingpong_tiles} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{the warpgroups of a kernel with 'pingpong_tiles' ping-pong over tiles of the grid, so its grid has no scope of warpgroups or warps}}
    tk.each warpgroup of 2 (%w) {
    }
  }
}

// -----

tk.kernel @wide(%A: !tk.global<?x64xbf16>, %C: !tk.global<?x256xbf16>) attributes {tk.pingpong_tiles} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<128x64xbf16, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x64xbf16> -> !tk.tile<256x64xbf16, shared>
    // expected-error @below {{register tiles alive here need 256 registers per thread, but with 2 compute warpgroups a thread has 222 for tiles}}
    // expected-note @below {{a tile holds 256 from here to line}}
    // expected-note @below {{a tile of this height fits with at most 208 columns}}
    %acc = tk.fill %zero : !tk.tile<128x256xf32, register, row>
    %s = tk.mma ABt %acc, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<256x64xbf16, shared>
    tk.store %C[%m, %c0], %s : !tk.global<?x256xbf16>, !tk.tile<128x256xf32, register, row>
  }
}
