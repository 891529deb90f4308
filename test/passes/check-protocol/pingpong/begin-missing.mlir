// Tests that nobody can take a ping-pong step if the first one is not given.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @pingpong(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    // expected-note @below {{in this run, this loop runs 0 times}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.pingpong_acquire because "its ping-pong step"
      hopper.pingpong_release because "the next one"
    }
    // expected-error @below {{the kernel hangs: nobody can go on}}
    // expected-note @below {{consumer 0: waits at named barrier 6, to which 128 of 256 threads have come}}
    // expected-note @below {{consumer 0: comes to named barrier 6 for 256 threads}}
    hopper.pingpong_end because "the last ping-pong step"
  }
}
