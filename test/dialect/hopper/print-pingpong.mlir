// Tests that the ops of ping-pong are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: hopper.kernel @pingpong
hopper.kernel @pingpong() {
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // CHECK: hopper.pingpong_begin because "first"
    hopper.pingpong_begin because "first"
    // CHECK: hopper.pingpong_acquire because "mine" {barrier_id = 8 : i64}
    hopper.pingpong_acquire because "mine" {barrier_id = 8 : i64}
    // CHECK: hopper.pingpong_release because "next"
    hopper.pingpong_release because "next"
    // CHECK: hopper.pingpong_end because "last"
    hopper.pingpong_end because "last"
  }
}
