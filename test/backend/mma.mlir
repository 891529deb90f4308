// Register tiles and MMAs. An MMA changes the variable of its accumulator, so what the IR calls a new value is
// the same name.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests the four forms, operands in shared memory and in registers, and an MMA chained on another.
// CHECK-LABEL: __global__ {{.*}}forms_plan
// CHECK: rt<float, 64, 64> acc; // uninitialised: the first wgmma overwrites it
// CHECK: wgmma_fence(); // why fence
// CHECK: mma_AB(acc, x[0], x[1], /*accumulate=*/false);
// CHECK: mma_ABt(acc, x[0], x[1], /*accumulate=*/true);
// CHECK: mma_AtB(acc, x[0], x[1], /*accumulate=*/more);
// CHECK: mma_AtBt(acc, x[0], x[1], /*accumulate=*/n > 0);
// CHECK: wgmma_commit();
// CHECK: wgmma_wait<3>(); // why wait
// CHECK: rt<bf16, 64, 64> p;
// CHECK: mma_AB(acc, p, x[1], /*accumulate=*/true);
// CHECK: keep_alive(p); // why keep alive
// CHECK: store(x[0], acc);
hopper.kernel @forms(%more: i1 {tk.name = "more"}, %n: i32 {tk.name = "n"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %some = arith.cmpi sgt, %n, %c0 : i32
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %u = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
    %a = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16> loc("a")
    %b = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16> loc("b")
    hopper.fence_registers because "why fence"
    %a0 = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16>
    %b0 = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16>
    %r0 = hopper.wgmma AB %u, %a0, %b0 accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %a1 = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16>
    %b1 = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16>
    %r1 = hopper.wgmma ABt %r0, %a1, %b1 accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %a2 = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16>
    %b2 = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16>
    %r2 = hopper.wgmma AtB %r1, %a2, %b2 accumulate %more : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %a3 = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16>
    %b3 = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16>
    %r3 = hopper.wgmma AtBt %r2, %a3, %b3 accumulate %some : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    hopper.wait_wgmma 3 because "why wait"
    %p = hopper.uninitialized : !hopper.fragment<64x64xbf16> loc("p")
    %b4 = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16>
    %r4 = hopper.wgmma AB %r3, %p, %b4 accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.keep_alive %p because "why keep alive" : !hopper.fragment<64x64xbf16>
    %t = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16>
    hopper.store_fragment %r4[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}

// -----

// Tests that a copy declares a variable, that a fill sets one, and that a tile without a name is called what it is.
// CHECK-LABEL: __global__ {{.*}}variables_plan
// CHECK: rt<float, 64, 32> start;
// CHECK-NEXT: start.fill(0.5f);
// CHECK: rt<float, 64, 32> start_copy = start;
// CHECK: for (int i
// CHECK: mma_AB(start_copy, x[0].rows<64>(8), y[0], /*accumulate=*/true);
// CHECK: store(z[0], start);
// CHECK: store(z[0], start_copy);
hopper.kernel @variables(%n: i32 {tk.name = "n"}) attributes {threads = 128 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %half = arith.constant 0.5 : f32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 32 : i64} : !hopper.ring<1, 128x16xf16>
  %y = hopper.alloc_ring "y" {offset = 4096 : i64, swizzle = 64 : i64} : !hopper.ring<1, 16x32xf16>
  %z = hopper.alloc_ring "z" {offset = 5120 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x32xf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %start = hopper.fill %half : f32, !hopper.fragment<64x32xf32> loc("start")
    %copy = hopper.copy %start : !hopper.fragment<64x32xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %copy) -> (!hopper.fragment<64x32xf32>) : i32 {
      %a = hopper.slot %x[%c0] : !hopper.ring<1, 128x16xf16>
      %rows = hopper.rows %a, %c8 : !hopper.shared<128x16xf16> -> !hopper.shared<64x16xf16>
      %b = hopper.slot %y[%c0] : !hopper.ring<1, 16x32xf16>
      %next = hopper.wgmma AB %acc, %rows, %b accumulate %true : !hopper.fragment<64x32xf32>, !hopper.shared<64x16xf16>, !hopper.shared<16x32xf16>
      scf.yield %next : !hopper.fragment<64x32xf32>
    }
    %t0 = hopper.slot %z[%c0] : !hopper.ring<1, 64x32xf16>
    hopper.store_fragment %start[%c0, %c0] to %t0 : !hopper.fragment<64x32xf32>, !hopper.shared<64x32xf16>
    %t1 = hopper.slot %z[%c0] : !hopper.ring<1, 64x32xf16>
    hopper.store_fragment %sum[%c0, %c0] to %t1 : !hopper.fragment<64x32xf32>, !hopper.shared<64x32xf16>
  }
}

// -----

// Tests that an MMA in one branch may overwrite what the other branch hands on.
// CHECK-LABEL: __global__ {{.*}}branch_plan
// CHECK: rt<float, 64, 64> acc;
// CHECK: if (more) {
// CHECK: mma_AB(acc,
// CHECK-NEXT: {{^ *}$}}
// CHECK-NOT: acc =
// CHECK: store(x[0], acc);
hopper.kernel @branch(%more: i1 {tk.name = "more"}) attributes {threads = 128 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("acc")
    %sum = scf.if %more -> !hopper.fragment<64x64xf32> {
      %a = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
      %b = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
      %next = hopper.wgmma AB %acc, %a, %b accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      scf.yield %next : !hopper.fragment<64x64xf32>
    } else {
      scf.yield %acc : !hopper.fragment<64x64xf32>
    }
    %t = hopper.slot %x[%c0] : !hopper.ring<1, 64x64xbf16>
    hopper.store_fragment %sum[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}

// -----

// Tests that new content for an accumulator which nobody has read since its MMA is moved there in order; not where it
// is read, where the variable begins, or where only another branch has MMAs.
// CHECK-LABEL: __global__ {{.*}}renewed_plan
// CHECK: acc.fill(0.0f);
// CHECK: for (int
// CHECK: renew(acc) = start;
// CHECK: mma_AB(acc, x_tile, x_tile, /*accumulate=*/true);
// CHECK: wgmma_wait<0>(); // one
// CHECK: sum.fill(0.0f);
// CHECK: for (int
// CHECK: sum = map(sum, [&](float
// CHECK: mma_AB(sum, x_tile, x_tile, /*accumulate=*/true);
// CHECK: if (more) {
// CHECK: mma_AB([[EITHER:[a-z_0-9]+]], x_tile, x_tile, /*accumulate=*/false);
// CHECK: } else {
// CHECK: {{^ *}}[[EITHER]].fill(0.0f);
hopper.kernel @renewed(%more: i1 {tk.name = "more"}, %n: i32 {tk.name = "n"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %t = hopper.slot %x[%c0] {hopper.tile_name = ""} : !hopper.ring<1, 64x64xbf16>
    %start = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("start")
    %init = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("acc")
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %init) -> (!hopper.fragment<64x64xf32>) : i32 {
      hopper.wait_wgmma 0 because "one"
      %new = hopper.copy %start {hopper.renews = array<i64: 0>} : !hopper.fragment<64x64xf32>
      %next = hopper.wgmma AB %new, %t, %t accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      scf.yield %next : !hopper.fragment<64x64xf32>
    }
    hopper.wait_wgmma 0 because "one"
    hopper.store_fragment %r[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    %zeros = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("sum")
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zeros) -> (!hopper.fragment<64x64xf32>) : i32 {
      hopper.wait_wgmma 0 because "two"
      %twice = hopper.map (%e = %old : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xf32> {
        %0 = arith.addf %e, %e : f32
        tk.yield %0 : f32
      } loc("sum")
      %next = hopper.wgmma AB %twice, %t, %t accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      scf.yield %next : !hopper.fragment<64x64xf32>
    }
    hopper.wait_wgmma 0 because "two"
    hopper.store_fragment %s[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    %either = scf.if %more -> (!hopper.fragment<64x64xf32>) {
      %u = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %p = hopper.wgmma AB %u, %t, %t accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      scf.yield %p : !hopper.fragment<64x64xf32>
    } else {
      %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      scf.yield %f : !hopper.fragment<64x64xf32>
    }
    hopper.wait_wgmma 0 because "three"
    hopper.store_fragment %either[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}

// -----

// Tests MMAs that sum the rows of what they read from registers: the ring, what fills its ones, the tile with ones
// beside it, and the vote on large elements.
// CHECK-LABEL: __global__ {{.*}}sums_plan
// CHECK: const shared_ring_with_ones<bf16, 64, 64, 2> v(shared + v_offset);
// CHECK: v.fill_ones();
// CHECK: rt<float, 64, 72> o;
// CHECK: mma_AB(o, p, v[0].with_ones(), /*accumulate=*/true);
// CHECK: const bool large = any_large(p);
hopper.kernel @sums() attributes {threads = 128 : i64, shared_bytes = 32768 : i64} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %v = hopper.alloc_ring "v" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16, with_ones>
  hopper.fill_ones %v : !hopper.ring<2, 64x64xbf16, with_ones>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %o = hopper.uninitialized : !hopper.fragment<64x72xf32> loc("o")
    %p = hopper.uninitialized : !hopper.fragment<64x64xbf16> loc("p")
    %b = hopper.slot %v[%c0] : !hopper.ring<2, 64x64xbf16, with_ones>
    hopper.fence_registers because "why fence"
    %r = hopper.wgmma AB %o, %p, %b accumulate %true {sums} : !hopper.fragment<64x72xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "why wait"
    %l = hopper.any_large %p : !hopper.fragment<64x64xbf16> loc("large")
    scf.if %l {
      hopper.sync_warpgroup because "why meet"
    }
  }
}

// A fence that accumulators have been filled for says which, so that nvcc fills them before.
// CHECK-LABEL: filled_kernel
// CHECK: wgmma_fence(start); // why fence
hopper.kernel @filled() attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %true = arith.constant true
  %x = hopper.alloc_ring "x" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %start = hopper.fill %one : f32, !hopper.fragment<64x64xf32> loc("start")
    %a = hopper.slot %x[%c0] : !hopper.ring<2, 64x64xbf16> loc("a")
    %b = hopper.slot %x[%c1] : !hopper.ring<2, 64x64xbf16> loc("b")
    hopper.fence_registers of %start because "why fence" : !hopper.fragment<64x64xf32>
    %r = hopper.wgmma AB %start, %a, %b accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.commit_wgmma
    hopper.wait_wgmma 0 because "why wait"
  }
}
