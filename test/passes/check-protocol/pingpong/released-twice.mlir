// Tests that a ping-pong step that is passed on twice in a row is refused: the barrier would let go before its warpgroup comes.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @pingpong(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    hopper.pingpong_begin because "the first ping-pong step"
    // expected-note @below {{in this run, this loop runs 1 time}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{the first who came wait here}}
      // expected-note @below {{consumer 1: comes to named barrier 7 for 256 threads}}
      hopper.pingpong_acquire because "its ping-pong step"
      // expected-note @below {{consumer 0: comes to named barrier 7 for 256 threads}}
      hopper.pingpong_release because "the next one"
      // expected-error @below {{nothing ensures that named barrier 7 has let go who waits there when consumer 0 comes to it again}}
      hopper.pingpong_release because "the next one"
    }
    hopper.pingpong_end because "the last ping-pong step"
  }
}
