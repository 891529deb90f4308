// Tests that equal extents name dimensions that exist.

// RUN: %tk-opt %s --verify-diagnostics

// expected-error @below {{names a dimension that no argument has}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {equal_extents = [#hopper.equal_extent<[0, 0], [1, 2] by "m" line 5>]} {
}
