// passes: tk-verify-layouts
        // expected-remark @below {{store reading, pending 1}}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 } bf16
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
  }
        // expected-remark @below {{store reading, pending 1}}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
    :/ expected-note @below {{declared here}}
hopper.kernel @scalars(%x: i7) attributes {threads = 128 : i64} {
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<128x64xi32, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<64x64xi32, shared>
hopper.kernel @scalars(%x: i7) attributes {threads = 128 : i64} {
}

    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xi32> -> !tk.tile<64x64xi32, shared>
    // expected-note @below {{declared here}}
  }
  tk.grid (%m) in (%c1) {
}
  }
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
}
