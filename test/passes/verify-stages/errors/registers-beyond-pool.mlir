// Tests that roles which together ask for more registers than the block has are refused: they would wait forever.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

// expected-error @below {{the roles ask for 520 registers per thread in all, but start with 504: setmaxnreg would wait forever}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 384 : i64} {
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 2 registers 248 {
  ^bb0(%w: i32):
  }
}
