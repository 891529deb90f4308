// Tests that warpgroups take the left operand of any type from registers.

// RUN: %tk-opt %s --tk-verify-layouts | FileCheck %s

tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}, %B: !tk.global<?x?xi8> {tk.name = "B"},
             %C: !tk.global<?x?xtf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f8E4M3FN
  %t = arith.constant 0.0 : tf32
  %one = arith.constant 1 : i8
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  tk.grid (%m) in (%c1) {
    %sum = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    %a = tk.fill %h : !tk.tile<128x64xf8E4M3FN, register, row>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    // CHECK: tk.mma ABt %{{.+}} : <{{.+}}>, <128x64xf8E4M3FN, register, row>, <
    %s = tk.mma ABt %sum, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, register, row>, !tk.tile<64x64xf8E4M3FN, shared>

    %count = tk.fill %none : !tk.tile<128x64xi32, register, row>
    %i = tk.fill %one : !tk.tile<128x64xi8, register, row>
    %j = tk.load %B[%c0, %c0] : !tk.global<?x?xi8> -> !tk.tile<64x64xi8, shared>
    // CHECK: tk.mma ABt %{{.+}} : <{{.+}}>, <128x64xi8, register, row>, <
    %n = tk.mma ABt %count, %i, %j : !tk.tile<128x64xi32, register, row>, !tk.tile<128x64xi8, register, row>, !tk.tile<64x64xi8, shared>

    %x = tk.fill %t : !tk.tile<128x64xtf32, register, row>
    %y = tk.load %C[%c0, %c0] : !tk.global<?x?xtf32> -> !tk.tile<64x64xtf32, shared>
    // CHECK: tk.mma ABt %{{.+}} : <{{.+}}>, <128x64xtf32, register, row>, <
    %z = tk.mma ABt %sum, %x, %y : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xtf32, register, row>, !tk.tile<64x64xtf32, shared>
  }
}
