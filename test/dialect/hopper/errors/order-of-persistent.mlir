// Tests that an order of tiles is for blocks of one tile each, and that a kernel has one at most.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

hopper.kernel @persistent() {
  // expected-error @below {{is for blocks of one tile each, but the kernel is persistent}}
  hopper.tile_order
}

// -----

hopper.kernel @two() attributes {persistent = false} {
  hopper.tile_order
  // expected-error @below {{is the second one of the kernel, which has one order at most}}
  hopper.tile_order last_first
}
