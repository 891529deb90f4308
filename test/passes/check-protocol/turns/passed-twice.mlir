// Tests that a turn that is passed on twice in a row is refused: the barrier would let go before its warpgroup comes.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @turns(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    hopper.begin_turns because "the first turn"
    // expected-note @below {{in this run, this loop runs 1 time}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{the first who came wait here}}
      // expected-note @below {{consumer 1: comes to named barrier 7 for 256 threads}}
      hopper.take_turn because "its turn"
      // expected-note @below {{consumer 0: comes to named barrier 7 for 256 threads}}
      hopper.pass_turn because "the next one"
      // expected-error @below {{nothing ensures that named barrier 7 has let go who waits there when consumer 0 comes to it again}}
      hopper.pass_turn because "the next one"
    }
    hopper.end_turns because "the last turn"
  }
}
