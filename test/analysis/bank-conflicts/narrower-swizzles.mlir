// Tests that threads that move 8 bytes a lane meet in the same banks where rows are swizzled over 64 bytes.
// Threads move 32 bytes of a row. Of four rows the 128-byte swizzle leaves two with the same chunks, so those of odd
// rows take others; the 64-byte one leaves two in the same banks.

// RUN: %tk-opt %s --test-bank-conflicts --verify-diagnostics

hopper.kernel @others(%A: !tk.global<?x64xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {swizzle = 32 : i64} : !hopper.ring<1, 64x16xf32>
  %b = hopper.alloc_ring "b" {swizzle = 64 : i64} : !hopper.ring<1, 64x32xbf16>
  %c = hopper.alloc_ring "c" {swizzle = 128 : i64} : !hopper.ring<1, 64x32xf32>
  %half = hopper.alloc_ring "half" {swizzle = 64 : i64} : !hopper.ring<1, 64x16xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.slot %a[%c0] : !hopper.ring<1, 64x16xf32>
    %t = hopper.slot %b[%c0] : !hopper.ring<1, 64x32xbf16>
    %u = hopper.slot %c[%c0] : !hopper.ring<1, 64x32xf32>
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x32xf32>
    // expected-remark @below {{st.shared.v2: 1-way, half a warp, 8 bytes a lane}}
    hopper.store_fragment %acc[%c0, %c0] to %s : !hopper.fragment<64x32xf32>, !hopper.shared<64x16xf32>
    // expected-remark @below {{stmatrix: 1-way, 8 rows of 16 bytes a wavefront}}
    hopper.store_fragment %acc[%c0, %c0] to %t : !hopper.fragment<64x32xf32>, !hopper.shared<64x32xbf16>
    // expected-remark @below {{st.shared.v2: 1-way, half a warp, 8 bytes a lane}}
    hopper.store_fragment %acc[%c0, %c0] to %u : !hopper.fragment<64x32xf32>, !hopper.shared<64x32xf32>
    %d = hopper.slot %half[%c0] : !hopper.ring<1, 64x16xf32>
    // expected-remark @below {{ld.shared.v2: 2-way, half a warp, 8 bytes a lane}}
    %y = hopper.load_fragment %d : !hopper.shared<64x16xf32> -> !hopper.fragment<64x16xf32>
  }
}
