// Tests that a loop stays as it is which one warpgroup may run more often than another: somebody would wait for ever.

// RUN: %tk-opt %s --tk-pingpong-warpgroups | FileCheck %s

// CHECK-NOT: hopper.pingpong_{{[arbe]}}

!tile = !hopper.fragment<64x64xf32>
!shared = !hopper.shared<64x64xbf16>

hopper.kernel @bound(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %s = hopper.uninitialized : !tile
    %o = hopper.uninitialized : !tile
    %own = arith.addi %n, %w : i32
    scf.for %i = %c0 to %own step %c1 : i32 {
      hopper.fence_registers because "s is handed over"
      %s1 = hopper.wgmma ABt %s, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.fence_registers because "o is handed over"
      %o1 = hopper.wgmma ABt %o, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "s is read"
      %e1 = hopper.map (%e = %s1 : !tile) -> !tile {
        %0 = math.exp2 %e : f32
        tk.yield %0 : f32
      }
    }
  }
}

hopper.kernel @branch(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %false = arith.constant false
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %s = hopper.uninitialized : !tile
    %o = hopper.uninitialized : !tile
    %first = arith.cmpi eq, %w, %c0 : i32
    scf.if %first {
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.fence_registers because "s is handed over"
      %s1 = hopper.wgmma ABt %s, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.fence_registers because "o is handed over"
      %o1 = hopper.wgmma ABt %o, %x, %x accumulate %false : !tile, !shared, !shared
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "s is read"
      %e1 = hopper.map (%e = %s1 : !tile) -> !tile {
        %0 = math.exp2 %e : f32
        tk.yield %0 : f32
      }
    }
    }
  }
}
