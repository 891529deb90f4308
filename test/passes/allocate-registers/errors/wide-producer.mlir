// Tests that a producer is one warpgroup.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics -o /dev/null

hopper.kernel @k() {
  // expected-error @below {{a producer is 1 warpgroup, not 2}}
  hopper.role producer warpgroups 2 {
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}
