// Tests that only parts of shared tiles have a place that is computed, and that of both dimensions.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

tk.kernel @registers(%n: i32) {
  %zero = arith.constant 0.0 : f32
  %t = tk.fill %zero : !tk.tile<64x128xf32, register, row>
  // expected-error @below {{has 2 indices into '!tk.tile<64x128xf32, register, row>'; a shared tile takes two or none, anything else none}}
  %p = tk.slice %t[0, 0] plus(%n, %n) : !tk.tile<64x128xf32, register, row> -> !tk.tile<64x64xf32, register, row>
}

// -----

tk.kernel @one(%A: !tk.global<?x128xbf16>, %n: i32) {
  %a = tk.load %A[%n, %n] : <?x128xbf16> -> !tk.tile<64x128xbf16, shared>
  // expected-error @below {{has 1 indices into}}
  %p = tk.slice %a[0, 0] plus(%n) : !tk.tile<64x128xbf16, shared> -> !tk.tile<64x64xbf16, shared>
}
