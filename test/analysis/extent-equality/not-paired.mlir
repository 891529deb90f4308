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
