// Tests that the hint is refused where nothing could be fetched: blocks that take their tiles, a kernel that starts late, loads
// whose places are not known so early.

// RUN: %tk-opt %s --tk-prefetch-first-loads --split-input-file --verify-diagnostics

// expected-error @below {{with 'prefetch', a block knows its first tile before the kernel before it has ended, but these are scheduled dynamically; say 'order(static_order)' or 'persistent(false)', too}}
hopper.kernel @takes_tiles(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {tk.prefetch = 2 : i64} {
  %c4 = arith.constant 4 : i32
  hopper.tile_scheduler readers 4
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) attributes {dynamic} {
    }
  }
}

// -----

// expected-error @below {{with 'prefetch', a kernel starts while the one before it ends, but 'pdl(false)' makes it wait}}
hopper.kernel @starts_late(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {tk.prefetch = 2 : i64, pdl = false} {
  %c4 = arith.constant 4 : i32
  hopper.role producer warpgroups 1 {
    hopper.tile_loop (%m) in (%c4) {
    }
  }
}

// -----

// expected-error @below {{'prefetch' finds no load by TMA whose place is known before the kernel before this one has ended; leave the hint out}}
hopper.kernel @loads_nothing(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {tk.prefetch = 2 : i64} {
  %c4 = arith.constant 4 : i32
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    hopper.tile_loop (%m) in (%c4) {
    }
  }
}
