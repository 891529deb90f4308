// Tests that a kernel without consumers is refused.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

// expected-error @below {{the kernel has no consumer role}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
}
