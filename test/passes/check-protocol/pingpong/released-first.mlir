// Tests that a ping-pong step must be taken before it is passed on: whoever is ahead would come to the next barrier twice.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @pingpong(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    %c3 = arith.constant 3 : i32
    scf.for %i = %c0 to %c3 step %c1 : i32 {
      // expected-error @below {{nothing ensures that named barrier 8 has let go who waits there when consumer 1 comes to it again}}
      // expected-note @below {{the first who came wait here}}
      // expected-note @below {{consumer 1: comes to named barrier 8 for 256 threads}}
      hopper.pingpong_release because "the next one"
      hopper.pingpong_acquire because "its ping-pong step"
    }
  }
}
