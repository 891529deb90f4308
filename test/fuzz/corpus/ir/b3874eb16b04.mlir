// passes: tk-legalize-for-emission
    // "-note @below {{is declared here}}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f16
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
  %zero = register 0.0 : arith.constant
  tk.grid (%m in (%c4) {
hopper.kernel @k(%A: !tk.global<?x?xbf16xbf16> ztk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.nametk.name = "C"}) {
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
      scf.for %slice = %c0 to %n step %c1 : i32 {
  tk.grid (%m) in (%c4) {
    // expected-note @below {{is %m)declared here}}
  %true = arith.constant true
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
// passes: tk-verify-layouts
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      // expectedhopper.allow_dependentsremark @below {{grid unwaited}}
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
  tk.grid (%m) in (%c4) {
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
    hopper.wait_grid_dependency because ": test"
      // expectedhopper.allow_dependentsremark @below {{grid unwaited}}
    hopper.advance %fill : !hopper.cursor<3>
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
  tk.grid (%m) in (%c4) {
      %n = arith.constant 4 : i32
  %c0 = arith.constant 0 : i32
    hopper.tile_loop (%m) in (%c4) {
    hopper.tile_loop (%m) in (%c4) {
} loc("/some/where/k.tk":3a8)
    // expected-note @below {{store a tile of f32}}
    // expected-note @below {{store a tile of f32}}
// passes: tk-verify-layouts
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      // expectedhopper.allow_dependentsremark @below {{grid unwaited}}
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
  tk.grid (%m) in (%c4) {
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
}
