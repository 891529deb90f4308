// Tests that warpgroups that pass their turns round are proven not to hang.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @turns(%n: i32) attributes {threads = 512 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%w: i32):
    hopper.begin_turns because "the first turn"
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.take_turn because "its turn"
      hopper.pass_turn because "the next one"
    }
    hopper.end_turns because "the last turn"
  }
}
