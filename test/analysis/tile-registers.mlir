// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

// Tests that an accumulator counts once: where it is made, in its loop and where it is read. Shared between two
// warpgroups, 128 x 256 f32 are 128 registers.

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
    // expected-remark @below {{128:}}
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row>

    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      // expected-remark @below {{128: a tile}}
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
      // expected-remark @below {{128: a tile}}
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared>
      // expected-remark @below {{128: a tile}}
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>

      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    // expected-remark @below {{128: a tile}}
    tk.store %C[%m, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// Tests that what lives across a loop counts inside it, and that a value that is used again does not end in the
// product.

tk.kernel @across(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-remark @below {{32: a tile}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %r = tk.mma ABt %t, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    %s = tk.mma ABt %r, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    scf.for %k = %c0 to %c1 step %c1 : i32 {
      // expected-remark @below {{64: a tile a tile}}
      tk.store %C[%m, %k], %s : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
    }
    // expected-remark @below {{32: a tile}}
    tk.store %C[%m, %c1], %r : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}

// Tests that what comes from outside of a loop is kept to its end, because the body reads it again; and that neighbouring
// elementwise code goes element by element: of the halves only the operands and the sum exist as a whole.

tk.kernel @again(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x128xbf16, register, row>
    // expected-remark @below {{32: a tile}}
    scf.for %k = %c0 to %c4 step %c1 : i32 {
      // expected-remark @below {{64: a tile a tile}}
      %l = tk.map (%e = %x : !tk.tile<64x128xbf16, register, row>) -> !tk.tile<64x128xbf16, register, row> {
        // expected-remark @below {{32: a tile}}
        tk.yield %e : bf16
      }
      // expected-remark @below {{64: a tile a tile}}
      %k2 = arith.addi %k, %c1 : i32
      // expected-remark @below {{64: a tile a tile}}
      %r = tk.map (%e = %l : !tk.tile<64x128xbf16, register, row>) -> !tk.tile<64x128xbf16, register, row> {
        // expected-remark @below {{32: a tile}}
        tk.yield %e : bf16
      }
      // expected-remark @below {{64: a tile a tile}}
      tk.store %C[%m, %k2], %r : !tk.global<?x?xbf16>, !tk.tile<64x128xbf16, register, row>
    }
  }
}

// Tests that the tensor cores read an operand in registers until somebody reads the product's result.

tk.kernel @flight(%A: !tk.global<?x?xbf16>, %C: !tk.global<?x?xbf16>) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>
    %b = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
    // expected-remark @below {{32: a tile}}
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    // expected-remark @below {{32: a tile}}
    %x = tk.read %a[%c0, %c0] : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x128xbf16, register, row>
    // expected-remark @below {{64: a tile a tile}}
    %o = tk.mma AB %none, %x, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x128xbf16, register, row>, !tk.tile<128x64xbf16, shared>
    // expected-remark @below {{64: a tile a tile}}
    %k = arith.addi %m, %c1 : i32
    // expected-remark @below {{32: a tile}}
    tk.store %C[%m, %k], %o : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
