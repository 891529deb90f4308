// Tests that a kernel has one tile scheduler at most.

// RUN: %tk-opt %s --verify-diagnostics

// expected-error @below {{has 2 tile schedulers when it may have one}}
hopper.kernel @k() {
  hopper.tile_scheduler readers 4
  hopper.tile_scheduler readers 4
}
