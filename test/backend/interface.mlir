// The C function: its signature, checks and launch, and the plan that the launch takes its numbers from.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests a tensor that is read with two boxes and written with a third; that only extents which somebody reads are
// passed; the reasons of equal extents; and a tensor of rank 1.
// CHECK: // maps<BM = 64>, k.tk:3
// CHECK: namespace maps_plan {
// CHECK-EMPTY:
// CHECK-NEXT: constexpr int threads = 128;
// CHECK-EMPTY:
// CHECK-NEXT: // Shared memory: byte offsets from a 1024-byte boundary, where
// CHECK-NEXT: constexpr int a_offset = 0; // 1 stage of 64x64 bf16, 128-byte swizzle
// CHECK-NEXT: constexpr int b_offset = 8192; // 2 consumers x 3 buffers of 64x32 bf16, 64-byte swizzle
// CHECK-NEXT: constexpr int done_offset = 32768; // 1 mbarrier
// CHECK-NEXT: constexpr int shared_bytes = 32776;
// CHECK: maps_kernel(const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap A_map_2,
// CHECK-NEXT: const __grid_constant__ output_map A_map_3, const int length, const int A_cols) {
// CHECK: tk_status maps(const tk_tensor *A, const tk_tensor *V, tk_stream stream) {
// CHECK: args.tensor("V", V, TK_F32, 1);
// CHECK-NEXT: args.same_extent("A", A, 1, "V", V, 0); // both are walked by n, k.tk:7
// CHECK-NEXT: args.same_extent("A", A, 0, "A", A, 1); // both are walked by m
// CHECK-NEXT: args.written("A", A);
// CHECK-NOT: args.written
// CHECK: const CUtensorMap A_map = maps.tile(A, {64, 64}, swizzle_128);
// CHECK-NEXT: const CUtensorMap A_map_2 = maps.tile(A, {64, 32}, swizzle_64);
// CHECK-NEXT: const output_map A_map_3 = maps.output(A, {64, 32}, swizzle_64);
// CHECK: const int length = int(A->extents[0]), A_cols = int(A->extents[1]);
// CHECK: shape.tiles = host::tile_count({length, A_cols + 1});
// CHECK: return host::launch("maps", maps_kernel, shape, stream, A_map, A_map_2, A_map_3, length, A_cols);
hopper.kernel @maps(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %V: !tk.global<?xf32> {tk.name = "V"})
    attributes {parameters = "BM = 64", threads = 128 : i64, shared_bytes = 32776 : i64,
                equal_extents = [#hopper.equal_extent<[0, 1], [1, 0] by "n" line 7>,
                                 #hopper.equal_extent<[0, 0], [0, 1] by "m" line 0>]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tk.extent %A, 0 : !tk.global<?x?xbf16> loc("length")
  %cols = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %again = tk.extent %A, 1 : !tk.global<?x?xbf16>
  %unused = tk.extent %V, 0 : !tk.global<?xf32>
  %more = arith.addi %again, %c1 : i32
  %m0 = hopper.tensor_map %A box [64, 64] swizzle 128 : !tk.global<?x?xbf16>
  %m1 = hopper.tensor_map %A box [64, 32] swizzle 64 : !tk.global<?x?xbf16>
  %m2 = hopper.tensor_map %A box [64, 32] swizzle 64 {output} : !tk.global<?x?xbf16>
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" {offset = 8192 : i64, swizzle = 64 : i64, what = "2 consumers x 3 buffers"} : !hopper.ring<6, 64x32xbf16>
  %done = hopper.alloc_barrier "done" arrivals 4 {offset = 32768 : i64} : !hopper.barrier<1>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    hopper.tile_loop (%m, %n) in (%rows, %more) {
      %x = arith.addi %m, %cols : i32
      %t = hopper.slot %b[%c0] : !hopper.ring<6, 64x32xbf16>
      hopper.tma_store %t to %m2[%x, %n] : !hopper.shared<64x32xbf16>, !hopper.tensor_map
    }
  }
} loc("k.tk":3:8)

// -----

// Tests a kernel without a grid loop, without tensors and without shared memory.
// CHECK: // nothing
// CHECK-NOT: Persistent
// CHECK: namespace nothing_plan {
// CHECK-EMPTY:
// CHECK-NEXT: constexpr int threads = 128;
// CHECK-EMPTY:
// CHECK-NEXT: constexpr int shared_bytes = 0;
// CHECK: nothing_kernel() {
// CHECK-NOT: shared_memory_base
// CHECK: tk_status nothing(tk_stream stream) {
// CHECK-NOT: tensor_maps
// CHECK: shape.tiles = 1;
// CHECK: return host::launch("nothing", nothing_kernel, shape, stream);
hopper.kernel @nothing() attributes {threads = 128 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
  }
}
