// mbarriers, cursors, fences and syncs.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file %s | FileCheck %s

// Tests that one thread initialises all mbarriers, under one `if`, and what each use of them becomes.
// CHECK-LABEL: __global__ {{.*}}all_plan
// CHECK: const barrier_ring<stages> full(shared + full_offset);
// CHECK: if (threadIdx.x == 0) {
// CHECK-NEXT: full.init(1);
// CHECK-NEXT: empty.init(4);
// CHECK-NEXT: fence_mbarrier_init(); // why fence
// CHECK-NEXT: }
// CHECK-NEXT: __syncthreads(); // why sync
// CHECK-NEXT: griddepcontrol_launch_dependents(); // why now
// CHECK: if (warp_index() == 0 && elect_one()) {
// CHECK-NEXT: griddepcontrol_wait(); // why wait
// CHECK-NEXT: ring_cursor<stages> fill;
// CHECK: empty.wait(fill.stage, fill.phase ^ 1); // is free
// CHECK: full.arrive_expect(fill.stage, stage_bytes);
// CHECK-NEXT: fill.advance();
// CHECK: full.wait(use.stage, use.phase); // has landed
// CHECK: empty.arrive(use.stage);
// CHECK: fence_proxy_async(); // for TMA
// CHECK: named_barrier_sync(warpgroup_barrier + consumer, 128); // all meet
hopper.kernel @all() attributes {threads = 384 : i64, shared_bytes = 48 : i64} {
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 0 : i64} : !hopper.barrier<3>
  %empty = hopper.alloc_barrier "empty" arrivals 4 {offset = 24 : i64} : !hopper.barrier<3>
  hopper.init_barrier %full : !hopper.barrier<3>
  hopper.init_barrier %empty : !hopper.barrier<3>
  hopper.fence_barrier_init because "why fence"
  hopper.sync_block because "why sync"
  hopper.allow_dependents because "why now"
  hopper.role producer warpgroups 1 registers 40 {
    hopper.wait_grid_dependency because "why wait"
    %fill = hopper.cursor "fill" : !hopper.cursor<3>
    hopper.wait_barrier %empty[%fill] previous because "is free" : !hopper.barrier<3>
    hopper.expect_bytes %full[%fill], 64 : !hopper.barrier<3>
    hopper.advance %fill : !hopper.cursor<3>
  }
  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%consumer: i32):
    %use = hopper.cursor "use" : !hopper.cursor<3>
    hopper.wait_barrier %full[%use] because "has landed" : !hopper.barrier<3>
    hopper.arrive %empty[%use] : !hopper.barrier<3>
    hopper.fence_async_proxy because "for TMA"
    hopper.sync_warpgroup because "all meet" {barrier_id = 3 : i64}
  }
}

// -----

// Tests that a barrier nobody walks with a cursor has its number of stages as a number, and that a lone consumer
// warpgroup needs no index for its named barrier.
// CHECK-LABEL: __global__ {{.*}}lone_plan
// CHECK: const barrier_ring<2> full(shared + full_offset);
// CHECK-NOT: const int consumer
// CHECK: named_barrier_sync(warpgroup_barrier, 128);
hopper.kernel @lone() attributes {threads = 128 : i64, shared_bytes = 16 : i64} {
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 0 : i64} : !hopper.barrier<2>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    hopper.sync_warpgroup because "all meet"
  }
}

// -----

// Tests that each warpgroup acquires at a named barrier of its own, and releases the next one's.
// CHECK-LABEL: __global__ {{.*}}pingpong_plan
// CHECK: const int consumer = warpgroup_index() - 1;
// CHECK-NEXT: if (consumer == 2)
// CHECK-NEXT: named_barrier_arrive(ping_pong_barrier, 256); // first
// CHECK: named_barrier_sync(ping_pong_barrier + consumer, 256); // mine
// CHECK: named_barrier_arrive(ping_pong_barrier + (consumer + 1) % 3, 256); // next
// CHECK-NEXT: if (consumer == 0)
// CHECK-NEXT: named_barrier_sync(ping_pong_barrier, 256); // last
hopper.kernel @pingpong() attributes {threads = 512 : i64, shared_bytes = 16 : i64} {
  hopper.role producer warpgroups 1 registers 32 {
  }
  hopper.role consumer warpgroups 3 registers 160 {
  ^bb0(%consumer: i32):
    hopper.pingpong_begin because "first"
    hopper.pingpong_acquire because "mine"
    hopper.pingpong_release because "next"
    hopper.pingpong_end because "last"
  }
}
