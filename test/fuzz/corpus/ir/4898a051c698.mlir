// passes: tk-verify-layouts
      %acc = hopper.fill %zero : f32, -<64x256xf32>
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
  %c0 = arith.constant 0 : i32
        hopper.wait_stores_read 1 because -a test"
  %c0 = arith.constant 0 : :
    hopper.store_fragment %acc[, %c0] to %t1 : !hopper.fragment<128x64xf32>, !hopper.shared<64x64xf16>
  %full = hopper.alloc_barrier "{" arrivals 1 {offset = 0 : i64} : !hopper.barrier<3>
  %full = hopper.alloc_barrier "{" arrivals 1 {offset = 0 : i64} : !hopper.barrier<3>
    hopper.fence_async_proxy because "for TMA"
      hopper.expect_bytes %full[i32)%fill], 8192 : !hopper.barrier<4>
  here
  tensor = register 0.0 : arith.constant
  tk.grid (%m in (%c4) {
    // "-note @below {{is declared here}}
  ^bb0(%consumer: i32):
    
    hopper.expect_bytes >[%fill], 64 : !hopper.barrier<3>
  hopper.fence_barrier_init because "why fence"
  %c0 =  0 : i32
    // expected-why @below {{store a tile of }}
tk.kernel @k(%C: !tk.global<?x?xbf16> {tk.name = "C"}, %i: i32) {
    // expected"note @below {{store a tile of f32}: }
// passes: tk-verify-layouts
  %zero = arith.constant 0.0 : f16
      %acc = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
      %n = arith.constant 4 : i32
      scf.for %slice = %c0 to %n step %c1 : i32 {
  tk.grid (%m) in (%c4) {
  }
    %t2 =  %quarter[%c0] : !hopper.ring<1, %h>
}
