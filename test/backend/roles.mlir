// Roles: which warpgroups enter them, how many registers they take, and what the kernel's comment says of them.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests more than two roles, and registers below, at and above the share that a block of 640 threads starts with.
// CHECK: // many
// CHECK: // warpgroup role registers does
// CHECK-NEXT: // 0 producer 24 one thread loads a by TMA
// CHECK-NEXT: // 1-2 consumer 96 each computes a part of the tile
// CHECK-NEXT: // 3 producer as launched one thread
// CHECK-NEXT: // 4 consumer 104 computes the tile
// CHECK: if (warpgroup_index() == 0) {
// CHECK-NEXT: // {{-+}} producer {{-+$}}
// CHECK-NEXT: setmaxnreg_dec<24>();
// CHECK: if (warp_index() == 0 && elect_one()) {
// CHECK: } else if (warpgroup_index() < 3) {
// CHECK-NEXT: // {{-+}} consumers {{-+$}}
// CHECK-NEXT: setmaxnreg_inc<96>();
// CHECK-NEXT: const int consumer = warpgroup_index() - 1;
// CHECK: } else if (warpgroup_index() == 3) {
// CHECK-NOT: setmaxnreg
// CHECK: if (warp_index() == 12 && elect_one()) {
// CHECK: } else {
// CHECK: setmaxnreg_inc<104>();
// CHECK-NOT: consumer
// CHECK: extern "C"
hopper.kernel @many(%A: !tk.global<?x?xbf16> {tk.name = "A"}) attributes {threads = 640 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : i32
  %map = hopper.tensor_map %A box [64, 64] swizzle 128 : !tk.global<?x?xbf16>
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 8192 : i64} : !hopper.barrier<1>
  hopper.role producer warpgroups 1 registers 24 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    %s = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xbf16>
    hopper.tma_load %map[%c0, %c0] to %s signals %full[%fill] : !hopper.tensor_map, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
  }
  hopper.role consumer warpgroups 2 registers 96 {
  ^bb0(%consumer: i32):
    hopper.sync_warpgroup because "all meet"
  }
  hopper.role producer warpgroups 1 {
  }
  hopper.role consumer warpgroups 1 registers 104 {
  ^bb0(%consumer: i32):
  }
}

// -----

// Tests that a role alone has no branch, and that its index is the warpgroup's.
// CHECK-LABEL: __global__ {{.*}}alone_plan
// CHECK-NOT: if (
// CHECK: const int part = warpgroup_index();
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int i = 0; i < part; ++i) {
// CHECK: extern "C"
#role = loc(unknown)
hopper.kernel @alone(%n: i32 {tk.name = "n"}) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 2 {
  ^bb0(%part: i32 loc("part")):
    scf.for %i = %c0 to %part step %c1 : i32 {
    } loc(#role)
  }
}

// -----

// Tests that a role whose warps have tiles of their own counts warps.
// CHECK: // warps
// CHECK: const int warp = warp_index() - 4;
// CHECK: __syncwarp();
// CHECK: const row_vec<float, 64> v = load<row_vec<float, 64>>(r[warp]);
hopper.kernel @warps(%L: !tk.global<?xf32> {tk.name = "L"}) attributes {threads = 384 : i64, shared_bytes = 2048 : i64} {
  %r = hopper.alloc_ring "r" {offset = 0 : i64} : !hopper.ring<8, 1x64xf32>
  hopper.role producer warpgroups 1 registers 24 {
  }
  hopper.role consumer warpgroups 2 registers 240 each warp {
  ^bb0(%warp: i32):
    hopper.sync_warpgroup because "all of the buffer is written"
    %s = hopper.slot %r[%warp] : !hopper.ring<8, 1x64xf32>
    %v = hopper.load_fragment %s : !hopper.shared<1x64xf32> -> !hopper.vector<64xf32, row> loc("v")
    %c0 = arith.constant 0 : i32
    hopper.store_global %v to %L[%c0] : !hopper.vector<64xf32, row>, !tk.global<?xf32>
  }
}
