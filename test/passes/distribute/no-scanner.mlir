// Tests that the consumers compute running sums of what the loop carries, and of what MMAs have computed.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @carried
// CHECK-NOT: tk.scanner
tk.kernel @carried(%G: !tk.global<?xf32> {tk.name = "G"}, %O: !tk.global<?xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.vector<64xf32, register, column>
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.vector<64xf32, register, column>) : i32 {
      %g = tk.load %G[%m] : !tk.global<?xf32> -> !tk.vector<64xf32, shared> loc("g")
      %gs = tk.read %g : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, column>
      %more = tk.map (%x = %gs : !tk.vector<64xf32, register, column>, %y = %o : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %0 = arith.addf %x, %y : f32
        tk.yield %0 : f32
      }
      %now = tk.scan add %more : !tk.vector<64xf32, register, column> loc("now")
      scf.yield %now : !tk.vector<64xf32, register, column>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n], %sum : !tk.global<?xf32>, !tk.vector<64xf32, register, column>
  }
}

// CHECK-LABEL: tk.kernel @multiplied
// CHECK-NOT: tk.scanner
tk.kernel @multiplied(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("q")
      %s = tk.mma ABt %none, %q, %q : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %rows = tk.reduce add rows %s : !tk.tile<64x64xf32, register, row> -> !tk.vector<64xf32, register, column>
      %now = tk.scan add %rows : !tk.vector<64xf32, register, column> loc("now")
      %next = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %b = %now : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %more = arith.addf %a, %b : f32
        tk.yield %more : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
