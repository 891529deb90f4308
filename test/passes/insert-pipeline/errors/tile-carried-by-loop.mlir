// Tests that a loop does not hand shared tiles on: they stay at their place in a ring.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @carried(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %n: i32) attributes {consumers = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    // expected-error @below {{from one iteration to the next; shared tiles stay at their place, so load it in the loop, or carry it in registers}}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %a) -> (!tk.tile<64x64xbf16, shared>) : i32 {
      %b = tk.load %A[%m, %k] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
      scf.yield %b : !tk.tile<64x64xbf16, shared>
    }
  }
}
