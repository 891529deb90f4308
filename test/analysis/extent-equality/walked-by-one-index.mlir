// Tests that dimensions walked by one index in equal steps are paired, in order, with the index and its line.

// RUN: %tk-opt %s --test-extent-equality --verify-diagnostics -o /dev/null

// expected-remark @below {{#hopper.equal_extent<[0, 0], [2, 0] by "m" line 5>}}
// expected-remark @below {{#hopper.equal_extent<[0, 1], [1, 0] by "" line}}
// expected-remark @below {{#hopper.equal_extent<[1, 1], [2, 1] by "n" line 5>}}
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
  tk.grid (%m loc("m"("x.tk":5:14)), %n loc("n"("x.tk":5:17))) in (%m_tiles, %n_tiles) swizzle 8 {
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
      %b = tk.load %B[%k, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x256xbf16, shared>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    // As the user's functions may have it, before it is simplified.
    %m_once = arith.muli %m, %c1 : i32
    %m_same = arith.addi %m_once, %c0 : i32
    tk.store %C[%m_same, %n], %sum : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
  }
}

// What is stored in parts has the steps of the whole: C's columns are walked by n in steps of 2 x 64. An offset that is no part
// of a whole pairs nothing.
// expected-remark @below {{#hopper.equal_extent<[0, 1], [1, 1] by "n" line 6>}}
tk.kernel @parts(%B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: !tk.global<?x?xf32> {tk.name = "C"}, %D: !tk.global<?x?xf32> {tk.name = "D"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  %tiles = tk.extent %C, 1 : !tk.global<?x?xf32>
  tk.grid (%n loc("n"("x.tk":6:14))) in (%tiles) {
    %b = tk.load %B[%c0, %n] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>
    %part = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %first = arith.muli %n, %c2 : i32
    %second = arith.addi %first, %c1 : i32
    %third = arith.addi %first, %c2 : i32
    tk.store %C[%c0, %first], %part : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
    tk.store %C[%c0, %second], %part : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
    tk.store %D[%c0, %third], %part : !tk.global<?x?xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// The number of a warp is a part too, if there are no more warps than parts.
// expected-remark @below {{#hopper.equal_extent<[0, 0], [1, 0] by "n" line 7>}}
tk.kernel @warps(%A: !tk.global<?x16x64xbf16> {tk.name = "A"}, %B: !tk.global<?x16x64xbf16> {tk.name = "B"}, %C: !tk.global<?x16x64xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %tiles = tk.extent %A, 0 : !tk.global<?x16x64xbf16>
  tk.grid (%n loc("n"("x.tk":7:14))) in (%tiles) {
    tk.each warp of 4 (%w) {
      %first = arith.muli %n, %c4 : i32
      %row = arith.addi %first, %w : i32
      %staged = tk.load %A[%row, %c0, %c0] : !tk.global<?x16x64xbf16> -> !tk.tile<16x64xbf16, shared>
      %a = tk.read %staged : !tk.tile<16x64xbf16, shared> -> !tk.tile<16x64xbf16, register, row>
      tk.store %B[%row, %c0, %c0], %a : !tk.global<?x16x64xbf16>, !tk.tile<16x64xbf16, register, row>
      %overlapping = arith.muli %n, %c3 : i32
      %other = arith.addi %overlapping, %w : i32
      tk.store %C[%other, %c0, %c0], %a : !tk.global<?x16x64xbf16>, !tk.tile<16x64xbf16, register, row>
    }
  }
}

// An index that walks from the end on walks the same places; with another last place it does not, and the tensor may be longer.
// expected-remark @below {{#hopper.equal_extent<[0, 0], [1, 0] by "h" line 8>}}
tk.kernel @backwards(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %B: !tk.global<?x64xbf16> {tk.name = "B"}, %C: !tk.global<?x64xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %count = tk.extent %A, 0 : !tk.global<?x64xbf16>
  %same = tk.extent %A, 0 : !tk.global<?x64xbf16>
  %last = arith.subi %same, %c1 : i32
  %before = arith.subi %same, %c2 : i32
  tk.grid (%h loc("h"("x.tk":8:14))) in (%count) {
    %from_end = arith.subi %last, %h : i32
    %from_before = arith.subi %before, %h : i32
    %a = tk.load %A[%from_end, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %b = tk.load %B[%from_end, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    %c = tk.load %C[%from_before, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}
