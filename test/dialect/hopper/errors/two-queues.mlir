// Tests that a kernel has one tile queue at most.

// RUN: %tk-opt %s --verify-diagnostics

// expected-error @below {{has 2 tile queues when it may have one}}
hopper.kernel @k() {
  hopper.tile_queue readers 4
  hopper.tile_queue readers 4
}
