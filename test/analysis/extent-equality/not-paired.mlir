// Tests that other steps, other dimensions of a tensor and static extents that agree are not paired.
// A slow dimension is walked in single elements.

// RUN: %tk-opt %s --test-extent-equality --verify-diagnostics -o /dev/null

// expected-remark @below {{#hopper.equal_extent<[0, 0], [1, 0] by "" line}}
tk.kernel @other(%A: !tk.global<?x?x64xbf16>, %B: !tk.global<?x?x64xbf16>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m, %b) in (%c4, %c4) {
    %x = tk.load %A[%b, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.load %B[%b, %c0, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<32x64xbf16, shared>
    %z = tk.load %B[%c0, %m, %c0] : !tk.global<?x?x64xbf16> -> !tk.tile<32x64xbf16, shared>
  }
}

// A branch that compares the index with an extent says how far it goes: what is walked inside is paired there alone.
// expected-remark @below {{#hopper.equal_extent<[0, 0], [1, 0] by "" line}}
// expected-remark @below {{#hopper.equal_extent<[2, 0], [3, 0] by "" line}}
tk.kernel @bounded(%Q: !tk.global<?x64xbf16>, %P: !tk.global<?x64xf32>, %K: !tk.global<?x64xbf16>, %L: !tk.global<?x64xf32>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %q_rows = tk.extent %Q, 0 : !tk.global<?x64xbf16>
  %k_rows = tk.extent %K, 0 : !tk.global<?x64xbf16>
  %most = arith.maxsi %q_rows, %k_rows : i32
  tk.grid (%m) in (%most) {
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %in_q = arith.cmpi slt, %m, %q_rows : i32
    scf.if %in_q {
      %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      tk.store %P[%m, %c0], %t : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
    }
    %in_k = arith.cmpi slt, %m, %k_rows : i32
    scf.if %in_k {
      %k = tk.load %K[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
      tk.store %L[%m, %c0], %t : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
    }
  }
}

// A dimension that the index walks further on, too, is longer than it goes, be it by a constant; one that it walks
// further back is not.
// expected-remark @below {{#hopper.equal_extent<[1, 0], [2, 0] by "" line}}
tk.kernel @halves(%X: !tk.global<?x64xbf16>, %Y: !tk.global<?x64xbf16>, %Z: !tk.global<?x64xbf16>, %W: !tk.global<512x64xbf16>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %minus = arith.constant -1 : i32
  %half = tk.extent %Y, 0 : !tk.global<?x64xbf16>
  tk.grid (%m) in (%c4) {
    %other = arith.addi %m, %half : i32
    %later = arith.addi %c4, %m : i32
    %before = arith.addi %m, %minus : i32
    %x0 = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %x1 = tk.load %X[%other, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y0 = tk.load %Y[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y1 = tk.load %Y[%before, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %z = tk.load %Z[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %w0 = tk.load %W[%m, %c0] : !tk.global<512x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %w1 = tk.load %W[%later, %c0] : !tk.global<512x64xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}

// So is one that is also read at a number computed from the index in another way, or at one of the caller's; not one that
// is read at a part of the index, or at a bounded one.
// expected-remark @below {{#hopper.equal_extent<[2, 0], [3, 0] by "" line}}
tk.kernel @packed(%X: !tk.global<?x64xbf16>, %W: !tk.global<?x64xbf16>, %Y: !tk.global<?x64xbf16>, %Z: !tk.global<?x64xbf16>, %V: !tk.global<?x64xbf16>, %heads: i32, %group: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%h) in (%heads) {
    %part = arith.divsi %h, %group : i32
    %after = arith.addi %heads, %part : i32
    %x0 = tk.load %X[%h, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %x1 = tk.load %X[%after, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %w0 = tk.load %W[%h, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %w1 = tk.load %W[%heads, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y0 = tk.load %Y[%h, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %y1 = tk.load %Y[%part, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %bounded = arith.minsi %after, %h : i32
    %z0 = tk.load %Z[%h, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %z1 = tk.load %Z[%bounded, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %times = arith.muli %h, %group : i32
    %v0 = tk.load %V[%h, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %v1 = tk.load %V[%times, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}
