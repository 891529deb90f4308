// Tests that the place of a load follows from the number by arithmetic.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @through(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      scf.for %k = %c0 to %n step %c1 iter_args(%i = %w) -> (i32) : i32 {
        // expected-error @below {{the place of this tile depends on the number of the warpgroup through a loop or branch; compute it from the number directly}}
        %a = tk.load %A[%i, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
        %x = tk.read %a : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
        tk.store %A[%m, %k], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
        %next = arith.addi %i, %c1 : i32
        scf.yield %next : i32
      }
    }
  }
}
