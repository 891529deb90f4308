// Tests that a part of a register tile begins where registers of a thread do.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{declared here}}
    %a = tk.fill %h : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{store the tile to shared memory and read the part from there}}
    // expected-error @below {{begins at row 32 and column 0 when these should be multiples of 64 and 8}}
    %b = tk.slice %a[32, 0] : !tk.tile<128x64xf32, register, row> -> !tk.tile<64x64xf32, register, row>
  }
}
