// Tests a second load that the expected bytes leave out.

// RUN: %tk-opt %s --tk-check-protocol --verify-diagnostics -o /dev/null

hopper.kernel @k(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %tiles: i32) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  // expected-note @below {{it completes with 1 arrival}}
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  hopper.init_barrier %full : !hopper.barrier<1>
  hopper.role producer warpgroups 1 registers 56 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    // expected-note @below {{producer: arrives and expects 8192 bytes at full[0], phase 0}}
    hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<1>
    %to_a = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xbf16>
    // expected-note @below {{producer: loads 8192 bytes into a[0] for full[0], phase 0}}
    hopper.tma_load %A[%c0, %c0] to %to_a signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
    %to_b = hopper.stage %b[%fill] : !hopper.ring<1, 64x64xbf16>
    // expected-note @below {{producer: loads 8192 bytes into b[0] for full[0], phase 0}}
    // expected-error @below {{phase 0 of 'full[0]' completes before this: more bytes are loaded than are expected}}
    hopper.tma_load %A[%c0, %c0] to %to_b signals %full[%fill] : !tk.global<?x64xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
  }
  hopper.role consumer warpgroups 1 registers 256 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<1>
    hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<1>
    %at = hopper.stage %a[%use] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.load_fragment %at : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
  }
}
