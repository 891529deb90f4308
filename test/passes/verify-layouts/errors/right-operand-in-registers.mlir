// Tests that an MMA of warpgroups does not take B from registers.

// RUN: %tk-opt %s --tk-verify-layouts --verify-diagnostics

tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %b = tk.fill %h : !tk.tile<64x64xbf16, register, row>
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xbf16> -> !tk.tile<128x64xbf16, shared>
    // expected-note @below {{load it into an st<...>, or store it to one}}
    // expected-error @below {{B is in registers when it should be in shared memory}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x64xbf16, register, row>
  }
}
