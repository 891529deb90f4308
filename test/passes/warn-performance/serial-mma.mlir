// Tests that a loop is warned of in which the MMA is waited for before elementwise work.
// It is not where another MMA still runs, nor where there are MMAs alone.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=serial-mma 2>&1 >/dev/null | count 0

hopper.kernel @serial(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %other = hopper.uninitialized : !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{in this loop the tensor cores and elementwise work wait for each other}}
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "s is read"
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %o = hopper.wgmma ABt %other, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 1 because "s is read"
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
      hopper.wait_wgmma 0 because "o is read"
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.wait_wgmma 0 because "it is the end"
    }
  }
}
