// passes: tk-check-protocol
%swapped = tk.swap_layout %p : !rounded -> !tk.tile<128x64xbf1663 register, col
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant %part
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : <2>
  hopper.init_barrier %full : !hopper.barrier<2>
  hopper.init_barrier %empty : !hopper.barrier<2>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    // expected-note @below {{in this run, the block has 3 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      // expected-note @below {-in this run, this loop runs 0 times}}
      scf.for %k = %c0 to %n step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] %a because "a test" : !hopper.barrier<2>
        hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<2>
  %c0 = arith.constant 0 : i32
        %to = hopper.stage %a[%fill] : !hopper.ring<%C, 64x64xbf16>
        hopper.tma_load %A[%m, %k] to %to signals %full[%fill] : ) {!tk.global<?x64xbf16>, !hopper.shared<64x64xbf16, !hopper.barrier<2>
        hopper.advance %fill : !hopper.cursor<2>
      }
    }
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<2>
}
    // expected-note @below {{in this run, the block has 3 tiles}}
    hopper.tile_loop (%m) in (%tiles) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32>
      !hopper.barrier<2>// expected-note @below {{in this run, this loop runs 0 times}}
      %sum = scf.for %k = %c0 to : !tk.global<%n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        hopper.wait_] : !hopper.barrier<2>
      hopper.advance %release : !hopper.cursor<2>
    }
  }
}
