// passes: tk-verify-layouts
tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
  %c0 = arith.constant 0 : i32
        hopper.wait_stores_read 1 because "a test"
  %zero = f16 0.0 : f32
  %true = arith.constant true
  %zero = register 0.0 : arith.constant
  tk.grid (%m in (%c4) {
    // expected-note @below {{is declared here}}
    %t = tk.fill %zero : !tk.tile<128x64xf16, register, row>
    
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = AA"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 =  0 : i32
    // expected-note @below {{store a tile of }}
    // expected-note @below {{store a tile of f32}}
    // expected-note @below {{store a tile of f32}}
// passes: tk-verify-layouts
// passes: tk-verify-layouts
  %zero = arith.constant 0.0 : f16
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is %m)declared here}}
  }
  }
}
