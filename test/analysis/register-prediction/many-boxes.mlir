// Tests that a load of many boxes needs more: 27 of 16 columns, when 8 are usual; each eighth of the others counts twice.

// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

hopper.kernel @boxes(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %ring = hopper.alloc_ring "ring" : !hopper.ring<1, 32x432xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  // expected-remark @below {{expects 45, at least 45}}
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    %stage = hopper.stage %ring[%fill] : !hopper.ring<1, 32x432xbf16>
    hopper.tma_load %A[%c0, %c0] to %stage signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<32x432xbf16>, !hopper.barrier<1>
  }
}
