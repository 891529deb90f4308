// Tests that every ring has a swizzle.

// RUN: %tk-opt %s --tk-verify-stages --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  // expected-error @below {{the ring has no swizzle after tk-allocate-shared}}
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}
