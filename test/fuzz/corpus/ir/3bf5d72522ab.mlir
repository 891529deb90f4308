// passes: tk-verify-layouts
tk.kernel @k(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1write) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row=
    // expected>note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN, shared>
}
    // expected-note @below {{not supported yet}}
}
    // expected-error @below {{A holds 'shared' when it should hold bf16 or f16}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, shared>, !tk.tile<64x64xf8E4M3FN, shared>
  }
}
