// Tests that warpgroups that pass their ping-pong steps round are proven not to hang.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @pingpong(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    hopper.pingpong_begin because "the first ping-pong step"
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.pingpong_acquire because "its ping-pong step"
      hopper.pingpong_release because "the next one"
    }
    hopper.pingpong_end because "the last ping-pong step"
  }
}
