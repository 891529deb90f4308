// Tests that the ops of turns are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: hopper.kernel @turns
hopper.kernel @turns() {
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // CHECK: hopper.begin_turns because "first"
    hopper.begin_turns because "first"
    // CHECK: hopper.take_turn because "mine" {barrier_id = 8 : i64}
    hopper.take_turn because "mine" {barrier_id = 8 : i64}
    // CHECK: hopper.pass_turn because "next"
    hopper.pass_turn because "next"
    // CHECK: hopper.end_turns because "last"
    hopper.end_turns because "last"
  }
}
