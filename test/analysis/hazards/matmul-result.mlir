// Tests that reading an MMA's result waits for that MMA and not for the newer one.
// Its operand in registers may not be computed anew while it is read, and vectors are code of this thread like any
// other.

// RUN: %tk-opt %s --test-hazards --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  // expected-remark @below {{MMA in flight, pending 0}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %at = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %one = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("s")
    %p = hopper.map (%x = %one : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
      %0 = arith.truncf %x : f32 to bf16
      tk.yield %0 : bf16
    } loc("p")
    %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("s")
    %o0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("o")
    // expected-remark @below {{registers touched}}
    %s = hopper.wgmma ABt %s0, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    // expected-remark @below {{registers touched}}
    %o = hopper.wgmma AB %o0, %p, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    // expected-remark @below {{MMA in flight, pending 1, from before}}
    %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
    // expected-remark @below {{MMA in flight, pending 0, from before}}
    %q = hopper.map (%x = %p : !hopper.fragment<64x64xbf16>) -> !hopper.fragment<64x64xbf16> {
      tk.yield %x : bf16
    }
  }
}
