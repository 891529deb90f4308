// Tests that an element that is copied asynchronously has 4 bytes.

// RUN: %tk-opt %s --verify-diagnostics

hopper.kernel @k(%E: !tk.global<?xbf16> {tk.name = "E"}) {
  %c0 = arith.constant 0 : i32
  %e = hopper.alloc_ring "e" : !hopper.ring<2, 1x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<2>
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    %to = hopper.stage %e[%fill] : !hopper.ring<2, 1x64xbf16>
    // expected-error @below {{'hopper.copy_element' op moves an element of 'bf16', which should have 4 bytes}}
    hopper.copy_element %E[%c0] to %to signals %full[%fill] : !tk.global<?xbf16>, !hopper.shared<1x64xbf16>, !hopper.barrier<2>
  }
}
