// Tests that a bank conflict is warned of: of four-byte elements, with rows that are swizzled over 64 bytes.

// RUN: %tk-opt %s --tk-warn-performance --verify-diagnostics -o /dev/null
// RUN: %tk-opt %s --tk-warn-performance=silenced=bank-conflict 2>&1 >/dev/null | count 0

hopper.kernel @banks(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {swizzle = 64 : i64} : !hopper.ring<1, 64x16xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %a[%c0] : !hopper.ring<1, 64x16xf32>
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x16xf32>
    // expected-warning @below {{st.shared.v2 of 'a' takes 2 wavefronts where one would do, because of bank conflicts (half a warp, 8 bytes a lane); make the tile 32 columns wide, rows of a multiple of 128 bytes, which have none}}
    hopper.store_fragment %acc[%c0, %c0] to %t : !hopper.fragment<64x16xf32>, !hopper.shared<64x16xf32>
  }
}
