// Tests a producer that signals again before the consumers have seen the last time.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {{producer: arrives at full[0], phase 1}}
      // expected-note @below {{producer: arrives at full[0], phase 0}}
      hopper.arrive %full[%fill] : !hopper.barrier<1>
      // expected-note @below {{producer: waits for full[0], phase 1}}
      // expected-note @below {{producer: waits for full[0], phase 0}}
      hopper.wait_barrier %full[%fill] because "a test" : !hopper.barrier<1>
      hopper.advance %fill : !hopper.cursor<1>
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    // expected-note @below {{in this run, the block has 2 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-error @below {{'full[0]' may complete phase 1 before all who wait for phase 0 have come: its phase bit would make them wait for another one}}
      hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<1>
      hopper.advance %use : !hopper.cursor<1>
    }
  }
}
