// Tests that what comes from outside of a loop is kept to its end, because the body reads it again.
// Neighbouring elementwise code goes element by element: of the halves only the operands and the sum exist as a whole.

// RUN: %tk-opt %s --test-tile-registers --verify-diagnostics -o /dev/null

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
