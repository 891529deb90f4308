// RUN: %tk-opt %s --tk-allocate-registers --split-input-file --verify-diagnostics

// Tests that tiles that do not fit are listed.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile holds 128 from here to line}}
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    // expected-note @below {{a tile holds 128 from here to line}}
    // expected-error @below {{register tiles alive here need 256 registers per thread, but with 2 compute warpgroups a thread has 208 for tiles}}
    // expected-note @below {{make these tiles 48 registers smaller in all}}
    %f1 = hopper.fill %zero : f32, !hopper.fragment<64x256xf32>
    hopper.store_fragment %f0[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
    hopper.store_fragment %f1[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>
  }
}

// -----

// Tests that a product that the entry registers cannot name is refused.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 208x64xbf16>
  hopper.role consumer warpgroups 3 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile is declared here}}
    %acc = hopper.uninitialized : !hopper.fragment<64x208xf32>
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 208x64xbf16>
    // expected-error @below {{a product of 208 columns does not fit 3 compute warpgroups, which allow at most 200 columns}}
    %r = hopper.wgmma ABt %acc, %x, %y accumulate %true : !hopper.fragment<64x208xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<208x64xbf16>
  }
}

// -----

// Tests that a block has one role of each kind.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  // expected-error @below {{a kernel has one producer role, this is its second}}
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
}

// -----

// Tests that a kernel without consumers is refused.

// expected-error @below {{the kernel has no consumer role}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
}

// -----

// Tests that more consumers than a block has are refused.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{a block has 1 to 4 compute warpgroups, not 7}}
  hopper.role consumer warpgroups 7 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that the user's registers are refused if the block's pool is smaller: the consumers would wait for ever.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 40 {
    %unused = arith.constant 0 : i32
  }
  // expected-error @below {{'registers(40, 240)' asks for 520 registers for a thread of each of 3 warpgroups, which start with 504}}
  hopper.role consumer warpgroups 2 registers 240 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}

// -----

// Tests that the user's registers are refused if they go the wrong way.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 40 {
    %unused = arith.constant 0 : i32
  }
  // expected-error @below {{'registers(40, 160)' must give a producer at most, and a consumer at least, the 168 registers with which every thread starts}}
  hopper.role consumer warpgroups 2 registers 160 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}

// -----

// Tests that the user's registers are refused if the tiles do not fit.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  hopper.role producer warpgroups 1 registers 96 {
    %unused = arith.constant 0 : i32
  }
  // expected-error @below {{'registers(96, 200)' leaves 168 registers for tiles, but those alive here need 176}}
  hopper.role consumer warpgroups 2 registers 200 {
  ^bb0(%w: i32):
    // expected-note @below {{a tile holds 176}}
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x352xf32>
  }
}

// -----

// Tests that the user's registers are refused where nobody gives any away.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'registers' has no effect here, for nothing is loaded by TMA and all warpgroups are alike; leave it out}}
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%w: i32):
    %f0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
  }
}
