// Tests that a loop draws tiles only from a queue that the kernel has.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%n: i32) {
  hopper.role producer warpgroups 1 {
    // expected-error @below {{draws tiles, but the kernel has no hopper.tile_queue}}
    hopper.tile_loop (%m) in (%n) attributes {drawn} {
    }
  }
}
