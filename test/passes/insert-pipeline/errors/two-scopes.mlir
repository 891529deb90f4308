// Tests that there is one scope of warpgroups, around all that touches tiles.

// RUN: %tk-opt %s --tk-insert-pipeline --verify-diagnostics

tk.kernel @scopes(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {consumers = 2 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
    }
    // expected-error @below {{'tk.load' touches tiles outside the scope of warpgroups or warps}}
    %a = tk.load %A[%m, %m] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
  }
}
