// Tests what MMAs with ones, and votes on large elements, refuse.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

hopper.kernel @elements() {
  // expected-error @below {{ones stand beside swizzle-atom columns of 16-bit elements, not beside 64 x 64 of 'f32'}}
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 64x64xf32, with_ones>
}

// -----

hopper.kernel @form() {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 64x64xbf16, with_ones>
  %b = hopper.slot %v[%c0] : !hopper.ring<2, 64x64xbf16, with_ones>
  %acc = hopper.uninitialized : !hopper.fragment<64x72xf32>
  // expected-error @below {{only A B with A in registers sums A's rows}}
  %r = hopper.wgmma AB %acc, %b, %b accumulate %true {sums} : !hopper.fragment<64x72xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
}

// -----

hopper.kernel @width() {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 64x64xbf16, with_ones>
  %b = hopper.slot %v[%c0] : !hopper.ring<2, 64x64xbf16, with_ones>
  %a = hopper.uninitialized : !hopper.fragment<64x64xbf16>
  %acc = hopper.uninitialized : !hopper.fragment<64x64xf32>
  // expected-error @below {{accumulates an MMA of 64 x 64 and 64 x 72 in '!hopper.fragment<64x64xf32>'}}
  %r = hopper.wgmma AB %acc, %a, %b accumulate %true {sums} : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
}

// -----

hopper.kernel @floats() {
  %a = hopper.uninitialized : !hopper.fragment<64x64xf32>
  // expected-error @below {{looks at 16-bit floats, not at 'f32'}}
  %p = hopper.any_large %a : !hopper.fragment<64x64xf32>
}
