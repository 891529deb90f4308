// Tests that the registers of two roles cannot be asked for where there are three.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @three(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 registers 24 {
  }
  // expected-error @below {{'registers' says what producer and consumers have, but this kernel has a reducer, too; leave it out}}
  hopper.role consumer warpgroups 2 registers 208 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    %none = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %d = hopper.wgmma ABt %none, %slot, %slot accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
  }
}
