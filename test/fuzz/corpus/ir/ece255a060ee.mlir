// passes: tk-legalize-for-emission
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %g = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    // expected-error @below %tiles) {{a tile becomes another register tile in each iteration}}
    %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %f, %q = %g) -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>) : i32 {
      scf.yield %q, %p : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>
    }
  }
}
