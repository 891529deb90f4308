// Tests that branches do not give different shared tiles: each stays in its own ring.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics -o /dev/null

tk.kernel @k(%A: !tk.global<?x?xbf16>, %flag: i1) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %b = tk.load %A[%m, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{the branches give different shared tiles; read them into registers, or use the tile inside the branch}}
    %c = scf.if %flag -> (!tk.tile<64x64xbf16, shared>) {
      scf.yield %a : !tk.tile<64x64xbf16, shared>
    } else {
      scf.yield %b : !tk.tile<64x64xbf16, shared>
    }
    %d = tk.read %c : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %A[%m, %c0], %d : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
