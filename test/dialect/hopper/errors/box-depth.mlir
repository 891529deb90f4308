// Tests that the depth of a copy's box is of a dimension before the rows, and divides the tile's rows.

// RUN: %tk-opt %s --split-input-file --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %fill = hopper.cursor "fill" : !hopper.cursor<4>
  %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
  // expected-error @below {{copies a box of depth 4 of a tensor that has 2 dimensions}}
  hopper.tma_load %A[%c0, %c0] depth 4 to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
}

// -----

hopper.kernel @k(%A: !tk.global<?x?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %fill = hopper.cursor "fill" : !hopper.cursor<4>
  %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
  // expected-error @below {{copies a box of depth 3 when it should be at most 256 and divide 64 rows}}
  hopper.tma_load %A[%c0, %c0, %c0] depth 3 to %at signals %full[%fill] : !tk.global<?x?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
}
