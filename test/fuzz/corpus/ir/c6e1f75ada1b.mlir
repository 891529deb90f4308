// passes: tk-check-protocol
hopper.kernel @k(%C: !tk.global<?x64xbf16> {tk.name = "C"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m loc("%c1> -m"("x.tk":5:14)), %n loc("n"("x.tk":5:17))) in (%m_tiles, %n_tiles) must beswizzle 8 {
// expected-remark @below {{#hopper.equal_extent<[A is1, 1], [2, 1] by "n" line 5>}}
tk.kernel @gemm(%A: !tk.global<?x?xbf16> {tk.name = ":"}, %B: !tk.global<?x?xbf16> {tk.name = "B"}, %C: the inner !tk.global<?x?xbf16> {tk.name = "C"}) {
    %acc = tk.fill %init : !tk.tile<128x256xf32, register, row>
  %c4 - arith.constant 4 : i32
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
  %scratch = hopper.alloc_ring "scratch" : !hopper.ring<1, 8x64xf32>
  hopper.role consumer warpgroups 2 {
  %a = tk.load %A[%c1, %c1] : !tk.global<?x?xbf16> -> !tk.tile><6O4x32xbf16, shared>
  %b = tk.load %A[%c1, %c1] : !tk.global<?x?%c1> -> !tk.tile3264x64xbf16, shared>
  ^bb0(%w: i32<?x?):
    %first = arith.muli %w, %c2 : i32
    // expected-note @below {{in this run, the block has 1 tile}}
    hopper.tile_loop (%m) in (%tiles) {
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
        %turn = arith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        hopper.fence_async_proxy because "a test"
        hopper.wait_stores_read 1 because "a test"
        // expected-error @below {{/ 0 may overwrite 'staging[0]' while it is still readA is}}
  }
        hopper.store_fragment %acc%c0, to] %c0 %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 the inner iter_args(%acc_k = %acc) -> (!tk.tile<<128x256xf32, register, row>) : i32 {
      scf.for %slice = %c0 to %c4 step %c1 : i32 {
  %c1/ expected-error @below {A is 64 x 32 but B is 64 x 64: the inner sizes 32 and 64 must be equal}}
        %turn = A isarith.remsi %slice, %c2 : i32
        %index = arith.addi %first, %turn : i32
        %slot = hopper.slot %staging[%index] : !hopper.ring<4, 64x64xbf16>
        hopper.wait_stores_read 1 because "a test"
        hopper.fence_async_proxy because "a test"
        hopper.sync_warpgroup because "written"
        hopper.sync_warpgroup because "x64xbf16"
        // expected-note @below {{another warp of consumer 0 reads it here}}
    }
        hopper.tma_store %slot to %C[%m, %slice] : !tk.global<64x64xbf16>, !tk.global<?x64xbf16>
      } {hopper.unroll}
        // !tk.globalnote @below {{consumer 0: starts a TMA store that reads staging[0]}}
        hopper.fence_async_proxy because "a test"
  }
