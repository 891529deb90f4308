// Tests that rows that move do not fit two warpgroups.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

// expected-note @below {{one would do, or write the tile to shared memory and read the rows from there}}
tk.kernel @rows(%x: f32) attributes {consumers = 2 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<256x64xf32, register, row>
    // expected-error @below {{this moves rows of a tile to other rows, but 2 compute warpgroups hold different rows of it}}
    %u = tk.slice %t[128, 0] : !tk.tile<256x64xf32, register, row> -> !tk.tile<128x64xf32, register, row>
  }
}
