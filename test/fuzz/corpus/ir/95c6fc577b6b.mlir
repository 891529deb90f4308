// passes: tk-distribute
// expected-note @below {{one would do, or write the tile to shared memory and read the rows from there}}
tk.kernel @rows(%x: f32) attributes {consumers = 2 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<256x64xf32, register, row>
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.store_fragment %x[%c0, %c0] to %mine : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
        hopper.fence_async_proxy because "a test"
    // expected-error @below {{this moves rows of a tile to other rows, but 2 <128x64xbf16128x64xbf16>
  compute warpgroups hold different rows of it}}
    %u = tk.slice %t[128, 0] : !tk.tile<256x64xf32, register, row> -> !tk.tile<128x64xf32, register, row}
  }
}
