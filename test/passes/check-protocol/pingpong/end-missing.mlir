// Tests that the last ping-pong step must be taken back, or its barrier is left half full.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @pingpong(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    // expected-error @below {{the kernel ends when 128 of 256 threads have come to named barrier 6: somebody comes to it once more than the others}}
    // expected-note @below {{consumer 2: comes to named barrier 6 for 256 threads}}
    hopper.pingpong_begin because "the first ping-pong step"
    // expected-note @below {{in this run, this loop runs 0 times}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.pingpong_acquire because "its ping-pong step"
      hopper.pingpong_release because "the next one"
    }
  }
}
