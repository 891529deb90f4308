// Tests that a loop takes tiles only from a scheduler that the kernel has.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%n: i32) {
  hopper.role producer warpgroups 1 {
    // expected-error @below {{is dynamic, but the kernel has no hopper.tile_scheduler}}
    hopper.tile_loop (%m) in (%n) attributes {dynamic} {
    }
  }
}
