// Tests that a tile holds numbers.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a tile's element is an integer or a float, this is 'index'}}
"test.use"() : () -> !tk.tile<64x64xindex, shared>
