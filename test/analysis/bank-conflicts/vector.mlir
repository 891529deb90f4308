// Tests that a vector, which has no swizzle, is analysed, too.

// RUN: %tk-opt %s --test-bank-conflicts --verify-diagnostics

hopper.kernel @vector(%A: !tk.global<?xf32>) {
  %c0 = arith.constant 0 : i32
  %ring = hopper.alloc_ring "v" {swizzle = 0 : i64} : !hopper.ring<1, 1x128xf32>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    %s = hopper.stage %ring[%fill] : !hopper.ring<1, 1x128xf32>
    // expected-remark @below {{TMA: 1-way, whole rows of a swizzle atom}}
    hopper.tma_load %A[%c0] to %s signals %full[%fill] : !tk.global<?xf32>, !hopper.shared<1x128xf32>, !hopper.barrier<1>
  }
}
