// passes: tk-verify-stages
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        // expected-note @below {{this is still in flight}}
        // expected-error @below {{a hazard is left after tk-insert-waits}}
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_wgmma
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}
