// Tests that each (tensor, box, swizzle) has one tensor map, named after the tensor.

// RUN: %tk-opt %s --tk-legalize-for-emission | FileCheck %s

// CHECK-LABEL: hopper.kernel @maps
// CHECK-NEXT: %[[A:.+]] = hopper.tensor_map %arg0 box [64, 64] swizzle 128 {name = "A_map"}
// CHECK-NEXT: %[[C1:.+]] = hopper.tensor_map %arg1 box [32, 64] swizzle 128 {name = "C_map", output}
// CHECK-NEXT: %[[C2:.+]] = hopper.tensor_map %arg1 box [64, 64] swizzle 128 {name = "C_map_2", output}
// CHECK: hopper.tma_load %[[A]]
// CHECK: hopper.tma_store {{.+}} to %[[C2]]
// CHECK: hopper.tma_store {{.+}} to %[[C1]]
// CHECK: hopper.tma_store {{.+}} to %[[C2]]
hopper.kernel @maps(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %slot = hopper.slot %staging[%c0] : !hopper.ring<2, 64x64xbf16>
    %half = hopper.rows %slot, %c0 : !hopper.shared<64x64xbf16> -> !hopper.shared<32x64xbf16>
    hopper.tma_store %slot to %C[%c0, %c0] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
    hopper.tma_store %half to %C[%c1, %c0] : !hopper.shared<32x64xbf16>, !tk.global<?x?xbf16>
    hopper.tma_store %slot to %C[%c2, %c0] : !hopper.shared<64x64xbf16>, !tk.global<?x?xbf16>
  }
}
