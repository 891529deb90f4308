// Tests that a grid of known size is warned of if it leaves much of the machine idle.
// 64 tiles leave half of it idle, 140 most of the second round; 1000 and grids that are known at launch are not warned
// of.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=idle-sms 2>&1 >/dev/null | count 0

hopper.kernel @grids(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c8 = arith.constant 8 : i32
  %c10 = arith.constant 10 : i32
  %c14 = arith.constant 14 : i32
  %c100 = arith.constant 100 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    // expected-warning @below {{the grid has 64 tiles for 132 SMs, which are busy 48 % of the time; smaller tiles occupy more of them}}
    hopper.tile_loop (%m, %l) in (%c8, %c8) {
    }
    // expected-warning @below {{the grid has 140 tiles for 132 SMs, which are busy 53 % of the time; other tile sizes may leave less in the last round}}
    hopper.tile_loop (%m, %l) in (%c10, %c14) {
    }
    hopper.tile_loop (%m, %l) in (%c10, %c100) {
    }
    hopper.tile_loop (%m, %l) in (%c10, %n) {
    }
  }
}
