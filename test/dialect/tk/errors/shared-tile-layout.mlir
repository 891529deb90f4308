// Tests that a shared tile has no layout.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a shared tile has no layout tag, this one has 'row'}}
"test.use"() : () -> !tk.tile<64x64xf32, shared, row>
