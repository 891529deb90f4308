// Tests that two tiles alive at once count together, and that both are named.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

tk.kernel @pair(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %V: !tk.global<?xf32> {tk.name = "V"}) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m) in (%c4) {
    // expected-note @below {{a tile holds 128 from here to line}}
    %s = tk.map () at (%row, %col) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.sitofp %col : i32 to f32
      tk.yield %0 : f32
    }
    tk.store %C[%m, %m], %s : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    // expected-note @below {{a tile holds 128 from here to line}}
    // expected-error @below {{register tiles alive here need 256 registers per thread}}
    // expected-note @below {{make these tiles 48 registers smaller in all}}
    %t = tk.map () at (%row, %col) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.sitofp %col : i32 to f32
      tk.yield %0 : f32
    }
    tk.store %C[%c4, %m], %t : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    %u = tk.map (%x = %s : !tk.tile<128x256xf32, register, row>, %y = %t : !tk.tile<128x256xf32, register, row>) -> !tk.tile<128x256xf32, register, row> {
      %0 = arith.addf %x, %y : f32
      tk.yield %0 : f32
    }
    tk.store %C[%m, %c0], %u : !tk.global<?x?xbf16>, !tk.tile<128x256xf32, register, row>
    // A tile of which a column is taken is not cut into blocks of columns.
    %v = tk.slice %u[0, 3] : !tk.tile<128x256xf32, register, row> -> !tk.vector<128xf32, register, column>
    tk.store %V[%m], %v : !tk.global<?xf32>, !tk.vector<128xf32, register, column>
  }
}
