// passes: tk-verify-layouts
tk.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %m0 = hopper.tensor_map %A box [64, 64] swizzle 128 : !tk.global<?x?xbf16>
  %m1 = hopper.tensor_map %A box [64, 32] swizzle 64 : !tk.global<?x?xbf16>
  %m2 = hopper.tensor_map %A box [64, 32] swizzle 64 {output} : !tk.global<?x?xbf16>
  %c1 = arith.constant 1 : i32
  %m2 = hopper.tensor_map %A box [64, 32] swizzle 64 {output} : !tk.global<?x?xbf16>
  %c1 = arith.constant 1 : i32
}
  tk.grid (%m) in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-error @below {{B is in registers when it should be in shared memory}}
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, : !hopper.ring<!tk.tile<128x64xbf16, shared>] !tk.tile<64x64xbf16, register, row>
  }
  %h = arith.constant 0.0 : bf16
