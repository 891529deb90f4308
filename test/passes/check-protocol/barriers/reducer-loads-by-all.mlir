// Tests loads for which all warps of the reducer wait: a warp may come to the barrier when it is a phase further.

// RUN: not %tk-opt %s --tk-check-protocol -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: phase 0 of 'q_full[0]' completes before this
hopper.kernel @k(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %n: i32) attributes {pdl = false} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lead = arith.constant 1 : i32
  %true = arith.constant true
  %q = hopper.alloc_ring "q" : <2, 64x64xbf16>
  %full = hopper.alloc_barrier "q_full" arrivals 1 : <2>
  %empty = hopper.alloc_barrier "q_empty" arrivals 4 : <2>
  %ds_full = hopper.alloc_barrier "ds_full" arrivals 4 : <2>
  %ds_empty = hopper.alloc_barrier "ds_empty" arrivals 4 : <2>
  hopper.init_barrier %full : <2>
  hopper.init_barrier %empty : <2>
  hopper.init_barrier %ds_full : <2>
  hopper.init_barrier %ds_empty : <2>
  hopper.sync_block because "a test"
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "q_use" : <2>
    %fill = hopper.cursor "ds_fill" : <2>
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %full[%use] because "a test" : <2>
      %stage = hopper.stage %q[%use] : <2, 64x64xbf16>
      %x = hopper.load_fragment %stage : <64x64xbf16> -> !hopper.fragment<64x64xbf16>
      hopper.fence_async_proxy because "a test"
      hopper.wait_barrier %ds_empty[%fill] previous because "a test" : <2>
      hopper.arrive %ds_full[%fill] : <2>
      hopper.advance %fill : <2>
      hopper.arrive %empty[%use] : <2>
      hopper.advance %use : <2>
    }
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "ds_use" : <2>
    %fill = hopper.cursor "q_fill" : <2>
    %end = arith.minsi %n, %lead : i32
    scf.if %true {
      scf.for %j = %c0 to %end step %c1 : i32 {
        hopper.wait_barrier %empty[%fill] previous because "a test" : <2>
        hopper.expect_bytes %full[%fill], 8192 : <2>
        %to = hopper.stage %q[%fill] : <2, 64x64xbf16>
        hopper.tma_load %Q[%j, %c0] to %to signals %full[%fill] : !tk.global<?x64xbf16>, <64x64xbf16>, <2>
        hopper.advance %fill : <2>
      }
    } 
    scf.for %j = %c0 to %n step %c1 : i32 {
      hopper.wait_barrier %ds_full[%use] because "a test" : <2>
      hopper.arrive %ds_empty[%use] : <2>
      hopper.advance %use : <2>
      %ahead = arith.addi %j, %lead : i32
      %goes = arith.cmpi slt, %ahead, %n : i32
      scf.if %goes {
        hopper.wait_barrier %empty[%fill] previous because "a test" : <2>
        hopper.expect_bytes %full[%fill], 8192 : <2>
        %to = hopper.stage %q[%fill] : <2, 64x64xbf16>
        hopper.tma_load %Q[%ahead, %c0] to %to signals %full[%fill] : !tk.global<?x64xbf16>, <64x64xbf16>, <2>
        hopper.advance %fill : <2>
      } 
    }
  }
}
