// Tests that the roles take all threads.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

// expected-error @below {{the kernel has 256 threads, but its roles need 128}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 256 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}
