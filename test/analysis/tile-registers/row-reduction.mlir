// Tests that what a reduction along rows reads is made element by element and counts for nothing if nobody else reads
// it (squares), but in full if it is read together with what the reduction gives (others): all have to be there then.

// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

tk.kernel @squares(%A: !tk.global<?x?xf32> {tk.name = "A"}) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tk.grid (%m) in (%c4) {
    %shared = tk.load %A[%m, %c0] : !tk.global<?x?xf32> -> !tk.tile<64x128xf32, shared>
    // expected-remark @below {{64: a tile}}
    %x = tk.read %shared : !tk.tile<64x128xf32, shared> -> !tk.tile<64x128xf32, register, row>
    // expected-remark @below {{132: a tile a tile a tile a tile}}
    %squares = tk.map (%e = %x : !tk.tile<64x128xf32, register, row>) -> !tk.tile<64x128xf32, register, row> {
      // expected-remark @below {{64: a tile}}
      %0 = arith.mulf %e, %e : f32
      // expected-remark @below {{64: a tile}}
      tk.yield %0 : f32
    }
    // expected-remark @below {{132: a tile a tile a tile a tile}}
    %sums = tk.reduce add rows %squares : !tk.tile<64x128xf32, register, row> -> !tk.vector<64xf32, register, column>
    // expected-remark @below {{132: a tile a tile a tile a tile}}
    %others = tk.map (%e = %x : !tk.tile<64x128xf32, register, row>) -> !tk.tile<64x128xf32, register, row> {
      // expected-remark @below {{66: a tile a tile}}
      %0 = arith.addf %e, %e : f32
      // expected-remark @below {{66: a tile a tile}}
      tk.yield %0 : f32
    }
    // expected-remark @below {{132: a tile a tile a tile a tile}}
    %tops = tk.reduce max rows %others : !tk.tile<64x128xf32, register, row> -> !tk.vector<64xf32, register, column>
    // expected-remark @below {{132: a tile a tile a tile a tile}}
    %scaled = tk.map (%e = %others : !tk.tile<64x128xf32, register, row>, %s = %sums : !tk.vector<64xf32, register, column>, %t = %tops : !tk.vector<64xf32, register, column>) -> !tk.tile<64x128xf32, register, row> {
      // expected-remark @below {{64: a tile}}
      %0 = arith.mulf %e, %s : f32
      // expected-remark @below {{64: a tile}}
      %1 = arith.mulf %0, %t : f32
      // expected-remark @below {{64: a tile}}
      tk.yield %1 : f32
    }
    // expected-remark @below {{128: a tile a tile}}
    tk.store %A[%m, %c0], %x : !tk.global<?x?xf32>, !tk.tile<64x128xf32, register, row>
    // expected-remark @below {{64: a tile}}
    tk.store %A[%c0, %m], %scaled : !tk.global<?x?xf32>, !tk.tile<64x128xf32, register, row>
  }
}
