// Tests that a ring has stages.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  // expected-error @below {{a ring has 1 to 65536 stages, this one has 0}}
  %x = hopper.alloc_barrier "x" arrivals 1 : !hopper.barrier<0>
}
