// Tests that an MMA that the entry registers cannot name is refused.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 208x64xbf16>
  hopper.role consumer warpgroups 3 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile is declared here}}
    %acc = hopper.uninitialized : !hopper.fragment<64x208xf32>
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 208x64xbf16>
    // expected-error @below {{an MMA of 208 columns does not fit 3 compute warpgroups, which allow at most 200 columns}}
    %r = hopper.wgmma ABt %acc, %x, %y accumulate %true : !hopper.fragment<64x208xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<208x64xbf16>
  }
}
