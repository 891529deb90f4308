// Tests a buffer that is read after another one was written at its bytes.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @k() {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : bf16
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" {offset = 4096 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.fill %zero : bf16, !hopper.fragment<64x64xbf16>
    %first = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %second = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
    // expected-note @below {{consumer: writes a[0]}}
    hopper.store_fragment %x[%c0, %c0] to %first : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.sync_warpgroup because "a test" {barrier_id = 1 : i64}
    // expected-note @below {{it is overwritten here}}
    hopper.store_fragment %x[%c0, %c0] to %second : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.sync_warpgroup because "a test" {barrier_id = 1 : i64}
    // expected-note @below {{consumer: reads a[0]}}
    // expected-error @below {{consumer reads 'a[0]', whose bytes belong to another buffer by now}}
    %y = hopper.load_fragment %first : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
  }
}
