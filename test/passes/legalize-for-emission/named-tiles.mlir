// Tests that a stage has a name if its cursor moves before it is used, in a line or in a loop around the use, and a
// slot if several ops use it: that of a staging buffer if TMA stores from it.

// RUN: %tk-opt %s --tk-legalize-for-emission | FileCheck %s

// CHECK-LABEL: hopper.kernel @stages
// CHECK: hopper.stage %{{.*}}[%{{.*}}] :
// CHECK: hopper.stage %{{.*}}[%{{.*}}] {hopper.tile_name = ""} :
// CHECK: hopper.rows
// CHECK: hopper.stage %{{.*}}[%{{.*}}] {hopper.tile_name = ""} :
hopper.kernel @stages(%A: !tk.global<?x?xbf16> {tk.name = "A"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %map = hopper.tensor_map %A box [32, 64] swizzle 128 : !tk.global<?x?xbf16>
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 32x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 8192 : i64} : !hopper.barrier<2>
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<2>
    %s0 = hopper.stage %a[%fill] : !hopper.ring<2, 32x64xbf16>
    hopper.tma_load %map[%c0, %c0] to %s0 signals %full[%fill] : !hopper.tensor_map, !hopper.shared<32x64xbf16>, !hopper.barrier<2>
    hopper.advance %fill : !hopper.cursor<2>
    %s1 = hopper.stage %a[%fill] : !hopper.ring<2, 32x64xbf16>
    %r1 = hopper.rows %s1, %c16 : !hopper.shared<32x64xbf16> -> !hopper.shared<8x64xbf16>
    hopper.advance %fill : !hopper.cursor<2>
    hopper.tma_load %map[%c0, %c0] to %r1 signals %full[%fill] : !hopper.tensor_map, !hopper.shared<8x64xbf16>, !hopper.barrier<2>
    %s2 = hopper.stage %a[%fill] : !hopper.ring<2, 32x64xbf16>
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      hopper.tma_load %map[%i, %c0] to %s2 signals %full[%fill] : !hopper.tensor_map, !hopper.shared<32x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
}

// CHECK-LABEL: hopper.kernel @slots
// CHECK: hopper.slot %{{.*}}[%{{.*}}] :
// CHECK: hopper.slot %{{.*}}[%{{.*}}] {hopper.tile_name = ""} :
// CHECK: hopper.slot %{{.*}}[%{{.*}}] {hopper.tile_name = "staging"} :
hopper.kernel @slots(%C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %map = hopper.tensor_map %C box [64, 64] swizzle 128 {output} : !tk.global<?x?xbf16>
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" {offset = 8192 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %once = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %x = hopper.load_fragment %once : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %twice = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.load_fragment %twice : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %z = hopper.load_fragment %twice : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %stored = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
    hopper.tma_store %stored to %map[%c0, %c0] : !hopper.shared<64x64xbf16>, !hopper.tensor_map
    hopper.store_tail_columns %stored to %map[%c0, %c0] : !hopper.shared<64x64xbf16>, !hopper.tensor_map
  }
}
