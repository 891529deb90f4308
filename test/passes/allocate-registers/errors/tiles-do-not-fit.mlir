// Tests that tiles that do not fit are listed.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile holds 128 from here to line}}
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    // expected-note @below {{a tile holds 128 from here to line}}
    // expected-error @below {{register tiles alive here need 256 registers per thread, but with 2 compute warpgroups a thread has 222 for tiles}}
    // expected-note @below {{make these tiles 48 registers smaller in all}}
    %f1 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
    hopper.store_fragment %f1[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
  }
}
