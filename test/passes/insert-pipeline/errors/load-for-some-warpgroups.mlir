// Tests that one producer cannot load for some warpgroups only.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @some(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      // expected-note @below {{this depends on the number of the warpgroup; make it the same for all, and mask what a warpgroup does not need}}
      scf.for %k = %c0 to %w step %c1 : i32 {
        // expected-error @below {{whether this tile is loaded differs between warpgroups, but one producer loads for all of them}}
        %a = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
        %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
        tk.store %A[%m, %k], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
      }
    }
  }
}
