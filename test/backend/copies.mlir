// Shared tiles, TMA and stores out of registers.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests that a stage stands where it is used, unless it has a name.
// CHECK-LABEL: __global__ {{.*}}stages_plan
// CHECK: tma_load(a[fill.stage], A_map, {0, 0}, full[fill.stage]);
// CHECK: fill.advance();
// CHECK: const auto a_tile = a[fill.stage];
// CHECK-NEXT: fill.advance();
// CHECK: tma_load(a_tile.rows<8>(16), A_map, {0, 0}, full[fill.stage]);
// CHECK: const auto a_tile_2 = a[fill.stage];
// CHECK: for (int i
// CHECK: tma_load(a_tile_2, A_map, {i, 0}, full[fill.stage]);
// CHECK-NEXT: fill.advance();
hopper.kernel @stages(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {threads = 128 : i64, shared_bytes = 8256 : i64} {
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
    %s1 = hopper.stage %a[%fill] {hopper.tile_name = ""} : !hopper.ring<2, 32x64xbf16>
    %r1 = hopper.rows %s1, %c16 : !hopper.shared<32x64xbf16> -> !hopper.shared<8x64xbf16>
    hopper.advance %fill : !hopper.cursor<2>
    hopper.tma_load %map[%c0, %c0] to %r1 signals %full[%fill] : !hopper.tensor_map, !hopper.shared<8x64xbf16>, !hopper.barrier<2>
    %s2 = hopper.stage %a[%fill] {hopper.tile_name = ""} : !hopper.ring<2, 32x64xbf16>
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      hopper.tma_load %map[%i, %c0] to %s2 signals %full[%fill] : !hopper.tensor_map, !hopper.shared<32x64xbf16>, !hopper.barrier<2>
      hopper.advance %fill : !hopper.cursor<2>
    }
  }
}

// -----

// Tests that what one thread of a consumer does is guarded, neighbours together, and that the map of a tensor that
// is stored to is an output map.
// CHECK-LABEL: __global__ {{.*}}stores_plan
// CHECK: const __grid_constant__ output_map C_map
// CHECK: const bool leader = threadIdx.x % 128 == 0;
// CHECK: if (leader)
// CHECK-NEXT: bulk_wait_read<1>(); // free
// CHECK-NOT: if (leader)
// CHECK: store(C_staging[consumer], acc.columns<64>(64));
// CHECK: if (leader) {
// CHECK-NEXT: tma_store(C_map, {0, 64}, C_staging[consumer]);
// CHECK-NEXT: bulk_commit();
// CHECK-NEXT: bulk_wait_read<0>(); // done
// CHECK-NEXT: }
// CHECK: // where rows of C are not whole 16 bytes, which is all that TMA writes, threads write the last columns
// CHECK-NEXT: store_tail_columns(C_map, {0, 64}, C_staging[consumer]);
// CHECK: const output_map C_map = maps.output(C, {64, 64}, swizzle_128);
#store = loc("k.tk":9:3)
hopper.kernel @stores(%C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 256 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %map = hopper.tensor_map %C box [64, 64] swizzle 128 {output} : !tk.global<?x?xbf16>
  %ring = hopper.alloc_ring "C_staging" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%consumer: i32):
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x128xf32> loc("acc")
    hopper.wait_stores_read 1 because "free" loc(#store)
    %t0 = hopper.slot %ring[%consumer] : !hopper.ring<2, 64x64xbf16> loc(#store)
    hopper.store_fragment %acc[%c0, %c64] to %t0 : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16> loc(#store)
    %t1 = hopper.slot %ring[%consumer] : !hopper.ring<2, 64x64xbf16> loc(#store)
    hopper.tma_store %t1 to %map[%c0, %c64] : !hopper.shared<64x64xbf16>, !hopper.tensor_map loc(#store)
    hopper.wait_stores_read 0 because "done" loc(#store)
    %t2 = hopper.slot %ring[%consumer] : !hopper.ring<2, 64x64xbf16> loc(#store)
    hopper.store_tail_columns %t2 to %map[%c0, %c64] : !hopper.shared<64x64xbf16>, !hopper.tensor_map loc(#store)
  } loc(#store)
}

// -----

// Tests which part of a register tile is stored: all of it, some rows, some columns, or both.
// CHECK-LABEL: __global__ {{.*}}parts_plan
// CHECK: store(whole[0], acc);
// CHECK: store(half[0], acc.rows<64>(64));
// CHECK: store(quarter[0], acc.rows<64>(64).columns<32>(32));
hopper.kernel @parts() attributes {threads = 128 : i64, shared_bytes = 36864 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  %whole = hopper.alloc_ring "whole" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 128x64xf16>
  %half = hopper.alloc_ring "half" {offset = 16384 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xf16>
  %quarter = hopper.alloc_ring "quarter" {offset = 24576 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x32xf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %acc = hopper.fill %zero : f32, !hopper.fragment<128x64xf32> loc("acc")
    %t0 = hopper.slot %whole[%c0] : !hopper.ring<1, 128x64xf16>
    hopper.store_fragment %acc[%c0, %c0] to %t0 : !hopper.fragment<128x64xf32>, !hopper.shared<128x64xf16>
    %t1 = hopper.slot %half[%c0] : !hopper.ring<1, 64x64xf16>
    hopper.store_fragment %acc[%c64, %c0] to %t1 : !hopper.fragment<128x64xf32>, !hopper.shared<64x64xf16>
    %t2 = hopper.slot %quarter[%c0] : !hopper.ring<1, 64x32xf16>
    hopper.store_fragment %acc[%c64, %c32] to %t2 : !hopper.fragment<128x64xf32>, !hopper.shared<64x32xf16>
  }
}
