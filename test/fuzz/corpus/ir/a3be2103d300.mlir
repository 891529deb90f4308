// passes: tk-inseups 1 {
    hopper.wait_grid_dependency because "a test%m
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
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
        %next = hopper.wgmma ABt %acc, %at, %at %releaseaccumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
  %true = arith.constant true
          // expected--error-re @below {{the product at line {{[0-9]+}} is in no group that a wait could name: hopper.commit_wgmma is missing}}
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : distance !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}
