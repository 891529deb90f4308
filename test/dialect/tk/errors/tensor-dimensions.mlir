// Tests that a tensor has four dimensions at most.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a global tensor has 1 to 4 dimensions, this one has 5}}
"test.use"() : () -> !tk.global<?x?x?x?x?xf32>
