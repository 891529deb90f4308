// A whole kernel with maps: attention as the passes leave it, with MMAs that are waited for where they are issued.
// test/runtime/attention_by_hand.cu is what it should read like. test/runtime/attention-emitted.test runs it.
//
// RUN: %tk-translate --hopper-to-cuda %s -o %t.cu
// RUN: FileCheck %s --input-file=%t.cu

#m = loc("m")
#h = loc("h")
#b = loc("b")
#j = loc("j")
#o = loc("o")
#s = loc("s")
#p = loc("p")
#best = loc("best")
#now = loc("now")
#alpha = loc("alpha")
#total = loc("total")

// Each ring has barriers of its own.
// CHECK: //   barrier         count  arrives
// CHECK: //   q_full              1  producer, and 32768 TMA bytes
// CHECK: //   k_full[stage]       1  producer, and 32768 TMA bytes
// CHECK: constexpr int k_stages = 2;
// CHECK: constexpr int v_stages = 2;
// CHECK: const float c = scale * 1.442695f;
// CHECK: const shared_ring<bf16, 128, 128, q_stages> q(shared + q_offset);
// CHECK: const shared_ring<bf16, 128, 128, k_stages> k(shared + k_offset);
// CHECK: const barrier_ring<q_stages> q_full(shared + q_full_offset);
hopper.kernel @attention(%Q: !tk.global<?x?x?x128xbf16> {tk.name = "Q"}, %K: !tk.global<?x?x?x128xbf16> {tk.name = "K"},
                         %V: !tk.global<?x?x?x128xbf16> {tk.name = "V"}, %O: !tk.global<?x?x?x128xbf16> {tk.name = "O"},
                         %scale: f32 {tk.name = "scale"})
    attributes {threads = 384 : i64, shared_bytes = 229472 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %false = arith.constant false
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %c = arith.mulf %scale, %log2e : f32 loc("c")
  %rows = tk.extent %Q, 2 : !tk.global<?x?x?x128xbf16>
  %keys = tk.extent %K, 2 : !tk.global<?x?x?x128xbf16>
  %heads = tk.extent %Q, 1 : !tk.global<?x?x?x128xbf16>
  %batches = tk.extent %Q, 0 : !tk.global<?x?x?x128xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %j_end = arith.ceildivsi %keys, %c128 : i32
  %Q_map = hopper.tensor_map %Q box [128, 64] swizzle 128 : !tk.global<?x?x?x128xbf16>
  %K_map = hopper.tensor_map %K box [128, 64] swizzle 128 : !tk.global<?x?x?x128xbf16>
  %V_map = hopper.tensor_map %V box [128, 64] swizzle 128 : !tk.global<?x?x?x128xbf16>
  %O_map = hopper.tensor_map %O box [64, 64] swizzle 128 {output} : !tk.global<?x?x?x128xbf16>
  %q = hopper.alloc_ring "q" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 128x128xbf16>
  %k = hopper.alloc_ring "k" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 128x128xbf16>
  %v = hopper.alloc_ring "v" {offset = 98304 : i64, swizzle = 128 : i64} : !hopper.ring<2, 128x128xbf16>
  %staging = hopper.alloc_ring "O_staging" {offset = 163840 : i64, swizzle = 128 : i64, what = "2 consumers"} : !hopper.ring<2, 64x128xbf16>
  %q_full = hopper.alloc_barrier "q_full" arrivals 1 {offset = 229376 : i64, arrives = "producer, and 32768 TMA bytes",
    waits = "consumers", guards = "q has landed"} : !hopper.barrier<1>
  %q_empty = hopper.alloc_barrier "q_empty" arrivals 8 {offset = 229384 : i64, arrives = "one lane of each consumer warp",
    waits = "producer", guards = "q has been read"} : !hopper.barrier<1>
  %k_full = hopper.alloc_barrier "k_full" arrivals 1 {offset = 229392 : i64, arrives = "producer, and 32768 TMA bytes",
    waits = "consumers", guards = "k of this stage has landed"} : !hopper.barrier<2>
  %k_empty = hopper.alloc_barrier "k_empty" arrivals 8 {offset = 229408 : i64, arrives = "one lane of each consumer warp",
    waits = "producer", guards = "k of this stage has been read"} : !hopper.barrier<2>
  %v_full = hopper.alloc_barrier "v_full" arrivals 1 {offset = 229424 : i64, arrives = "producer, and 32768 TMA bytes",
    waits = "consumers", guards = "v of this stage has landed"} : !hopper.barrier<2>
  %v_empty = hopper.alloc_barrier "v_empty" arrivals 8 {offset = 229440 : i64, arrives = "one lane of each consumer warp",
    waits = "producer", guards = "v of this stage has been read"} : !hopper.barrier<2>
  hopper.init_barrier %q_full : !hopper.barrier<1>
  hopper.init_barrier %q_empty : !hopper.barrier<1>
  hopper.init_barrier %k_full : !hopper.barrier<2>
  hopper.init_barrier %k_empty : !hopper.barrier<2>
  hopper.init_barrier %v_full : !hopper.barrier<2>
  hopper.init_barrier %v_empty : !hopper.barrier<2>
  hopper.fence_barrier_init because "TMA must see them initialised"
  hopper.sync_block because "no thread may use a barrier before it is initialised"
  hopper.allow_dependents because "the next kernel may set up while this one runs"

  hopper.role producer warpgroups 1 registers 40 {
    hopper.wait_grid_dependency because "the kernel before this one may still be writing Q, K and V, or reading O"
    %q_fill = hopper.cursor "q_fill" : !hopper.cursor<1>
    %k_fill = hopper.cursor "k_fill" : !hopper.cursor<2>
    %v_fill = hopper.cursor "v_fill" : !hopper.cursor<2>
    hopper.tile_loop (%m loc(#m), %h loc(#h), %b loc(#b)) in (%m_tiles, %heads, %batches) {
      hopper.wait_barrier %q_empty[%q_fill] previous because "the consumers have read q of the tile before" : !hopper.barrier<1>
      hopper.expect_bytes %q_full[%q_fill], 32768 : !hopper.barrier<1>
      %row = arith.muli %m, %c128 : i32
      %qt = hopper.stage %q[%q_fill] : !hopper.ring<1, 128x128xbf16>
      hopper.tma_load %Q_map[%b, %h, %row, %c0] to %qt signals %q_full[%q_fill] : !hopper.tensor_map, !hopper.shared<128x128xbf16>, !hopper.barrier<1>
      hopper.advance %q_fill : !hopper.cursor<1>
      "scf.for"(%c0, %j_end, %c1) ({
      ^bb0(%j: i32 loc(#j)):
        %key = arith.muli %j, %c128 : i32
        hopper.wait_barrier %k_empty[%k_fill] previous because "the consumers have read the stage's old tiles" : !hopper.barrier<2>
        hopper.expect_bytes %k_full[%k_fill], 32768 : !hopper.barrier<2>
        %kt = hopper.stage %k[%k_fill] : !hopper.ring<2, 128x128xbf16>
        hopper.tma_load %K_map[%b, %h, %key, %c0] to %kt signals %k_full[%k_fill] : !hopper.tensor_map, !hopper.shared<128x128xbf16>, !hopper.barrier<2>
        hopper.advance %k_fill : !hopper.cursor<2>
        hopper.wait_barrier %v_empty[%v_fill] previous because "the consumers have read the stage's old tiles" : !hopper.barrier<2>
        hopper.expect_bytes %v_full[%v_fill], 32768 : !hopper.barrier<2>
        %vt = hopper.stage %v[%v_fill] : !hopper.ring<2, 128x128xbf16>
        hopper.tma_load %V_map[%b, %h, %key, %c0] to %vt signals %v_full[%v_fill] : !hopper.tensor_map, !hopper.shared<128x128xbf16>, !hopper.barrier<2>
        hopper.advance %v_fill : !hopper.cursor<2>
        scf.yield
      }) : (i32, i32, i32) -> ()
    }
  }

  hopper.role consumer warpgroups 2 registers 232 {
  ^bb0(%consumer: i32):
    %q_use = hopper.cursor "q_use" : !hopper.cursor<1>
    %k_use = hopper.cursor "k_use" : !hopper.cursor<2>
    %v_use = hopper.cursor "v_use" : !hopper.cursor<2>
    %m_block = arith.muli %consumer, %c64 : i32
    // CHECK: for (const auto [m, h, b] : persistent_tiles(ceil_div(Q_rows, 128), Q_depth, Q_batch)) {
    hopper.tile_loop (%m loc(#m), %h loc(#h), %b loc(#b)) in (%m_tiles, %heads, %batches) {
      // Fills are not constants if something changes them.
      // CHECK: rt<float, 64, 128> o;
      // CHECK-NEXT: o.fill(0.0f);
      // CHECK-NEXT: col_vec<float, 64> best;
      // CHECK-NEXT: best.fill(-INFINITY);
      // CHECK-NEXT: col_vec<float, 64> total;
      // CHECK-NEXT: total.fill(0.0f);
      %o0 = hopper.fill %zero : f32, !hopper.fragment<64x128xf32> loc(#o)
      %best0 = hopper.fill %inf : f32, !hopper.vector<64xf32, column> loc(#best)
      %total0 = hopper.fill %zero : f32, !hopper.vector<64xf32, column> loc(#total)
      hopper.wait_barrier %q_full[%q_use] because "q has landed" : !hopper.barrier<1>
      %qt = hopper.stage %q[%q_use] : !hopper.ring<1, 128x128xbf16>
      %qw = hopper.rows %qt, %m_block : !hopper.shared<128x128xbf16> -> !hopper.shared<64x128xbf16>
      // CHECK: for (int j = 0; j < ceil_div(K_rows, 128); ++j) {
      %o9, %best9, %total9 = "scf.for"(%c0, %j_end, %c1, %o0, %best0, %total0) ({
      ^bb0(%j: i32 loc(#j), %o1: !hopper.fragment<64x128xf32> loc(#o), %best1: !hopper.vector<64xf32, column> loc(#best),
           %total1: !hopper.vector<64xf32, column> loc(#total)):
        // CHECK: k_full.wait(k_use.stage, k_use.phase); // k of this stage has landed
        // CHECK: rt<float, 64, 128> s;
        // CHECK: wgmma_fence();
        // CHECK-NEXT: mma_ABt(s, q[q_use.stage].rows<64>(consumer * 64), k[k_use.stage], /*accumulate=*/false);
        // CHECK: wgmma_commit();
        // CHECK: wgmma_wait<0>(); // s is read next
        // CHECK: k_empty.arrive(k_use.stage);
        // CHECK-NEXT: k_use.advance();
        hopper.wait_barrier %k_full[%k_use] because "k of this stage has landed" : !hopper.barrier<2>
        %kt = hopper.stage %k[%k_use] : !hopper.ring<2, 128x128xbf16>
        %s0 = hopper.uninitialized : !hopper.fragment<64x128xf32> loc(#s)
        hopper.fence_registers because "s passes from this thread's code to the tensor cores"
        %s1 = hopper.wgmma ABt %s0, %qw, %kt accumulate %false : !hopper.fragment<64x128xf32>, !hopper.shared<64x128xbf16>, !hopper.shared<128x128xbf16> loc(#s)
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "s is read next"
        hopper.arrive %k_empty[%k_use] : !hopper.barrier<2>
        hopper.advance %k_use : !hopper.cursor<2>

        // A mask says what it is of.
        // CHECK-NEXT: s = map_at(s, [&](float s, int row, int col) { return j * 128 + col < K_rows ? s : -INFINITY; });
        %s2 = hopper.map (%x = %s1 : !hopper.fragment<64x128xf32>) at (%r, %col) -> !hopper.fragment<64x128xf32> {
          %first = arith.muli %j, %c128 : i32
          %key = arith.addi %first, %col : i32
          %inside = arith.cmpi slt, %key, %keys : i32
          %masked = arith.select %inside, %x, %inf : f32
          tk.yield %masked : f32
        } loc(#s)
        // CHECK-NEXT: const col_vec<float, 64> now = row_max(s, best);
        // CHECK-NEXT: const col_vec<float, 64> alpha = map(best, now, [&](float best, float now) {
        // CHECK-NEXT:   return ex2(sub_rn(best, now) * c);
        // CHECK-NEXT: });
        // CHECK-NEXT: s = map(s, now, [&](float s, float now) { return ex2(sub_rn(s * c, now * c)); });
        %now = hopper.reduce_rows max %s2 init %best1 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column> loc(#now)
        %alpha = hopper.map (%x = %best1 : !hopper.vector<64xf32, column>, %n = %now : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
          %0 = arith.subf %x, %n : f32
          %1 = arith.mulf %0, %c : f32
          %2 = math.exp2 %1 : f32
          tk.yield %2 : f32
        } loc(#alpha)
        %s3 = hopper.map (%x = %s2 : !hopper.fragment<64x128xf32>, %n = %now : !hopper.vector<64xf32, column>) -> !hopper.fragment<64x128xf32> {
          %0 = arith.mulf %x, %c : f32
          %1 = arith.mulf %n, %c : f32
          %2 = arith.subf %0, %1 : f32
          %3 = math.exp2 %2 : f32
          tk.yield %3 : f32
        } loc(#s)
        // What has no name and one reader is written where it is read.
        // CHECK-NEXT: total = map(total, alpha, row_sum(s), [&](float total, float alpha, float sum) { return total * alpha + sum; });
        // CHECK-NEXT: o = map(o, alpha, [&](float o, float alpha) { return o * alpha; });
        // CHECK-NEXT: const rt<bf16, 64, 128> p = convert<bf16>(s);
        %sum = hopper.reduce_rows add %s3 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
        %total2 = hopper.map (%t = %total1 : !hopper.vector<64xf32, column>, %f = %alpha : !hopper.vector<64xf32, column>,
                              %x = %sum : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
          %0 = arith.mulf %t, %f : f32
          %1 = arith.addf %0, %x : f32
          tk.yield %1 : f32
        } loc(#total)
        %o2 = hopper.map (%x = %o1 : !hopper.fragment<64x128xf32>, %f = %alpha : !hopper.vector<64xf32, column>) -> !hopper.fragment<64x128xf32> {
          %0 = arith.mulf %x, %f : f32
          tk.yield %0 : f32
        } loc(#o)
        %p = hopper.map (%x = %s3 : !hopper.fragment<64x128xf32>) -> !hopper.fragment<64x128xbf16> {
          %0 = arith.truncf %x : f32 to bf16
          tk.yield %0 : bf16
        } loc(#p)

        // A in registers.
        // CHECK: mma_AB(o, p, v[v_use.stage], /*accumulate=*/true);
        // CHECK: v_use.advance();
        // CHECK: best = now;
        // CHECK-NEXT: }
        hopper.wait_barrier %v_full[%v_use] because "v of this stage has landed" : !hopper.barrier<2>
        %vt = hopper.stage %v[%v_use] : !hopper.ring<2, 128x128xbf16>
        hopper.fence_registers because "o and p pass from this thread's code to the tensor cores"
        %o3 = hopper.wgmma AB %o2, %p, %vt accumulate %true : !hopper.fragment<64x128xf32>, !hopper.fragment<64x128xbf16>, !hopper.shared<128x128xbf16> loc(#o)
        hopper.commit_wgmma
        hopper.wait_wgmma 0 because "the MMA has read its stage, and o is scaled next"
        hopper.arrive %v_empty[%v_use] : !hopper.barrier<2>
        hopper.advance %v_use : !hopper.cursor<2>
        %best2 = hopper.copy %now : !hopper.vector<64xf32, column>
        scf.yield %o3, %best2, %total2 : !hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>
      }) : (i32, i32, i32, !hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>)
           -> (!hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>)
      hopper.arrive %q_empty[%q_use] : !hopper.barrier<1>
      hopper.advance %q_use : !hopper.cursor<1>

      // CHECK: o = map(o, total, [&](float o, float total) { return o * rcp(total); });
      %scaled = hopper.map (%x = %o9 : !hopper.fragment<64x128xf32>, %t = %total9 : !hopper.vector<64xf32, column>) -> !hopper.fragment<64x128xf32> {
        %0 = arith.divf %one, %t : f32
        %1 = arith.mulf %x, %0 : f32
        tk.yield %1 : f32
      } loc(#o)
      %buffer = hopper.slot %staging[%consumer] {hopper.tile_name = "staging"} : !hopper.ring<2, 64x128xbf16>
      hopper.wait_stores_read 0 because "the store of the tile before has read the buffer"
      hopper.sync_warpgroup because "the warpgroup knows the buffer is free"
      hopper.store_fragment %scaled[%c0, %c0] to %buffer : !hopper.fragment<64x128xf32>, !hopper.shared<64x128xbf16>
      hopper.fence_async_proxy because "TMA reads through another proxy what these threads wrote"
      hopper.sync_warpgroup because "all of the buffer is written"
      %row0 = arith.muli %m, %c128 : i32
      %row = arith.addi %row0, %m_block : i32
      hopper.tma_store %buffer to %O_map[%b, %h, %row, %c0] : !hopper.shared<64x128xbf16>, !hopper.tensor_map
      hopper.store_tail_columns %buffer to %O_map[%b, %h, %row, %c0] : !hopper.shared<64x128xbf16>, !hopper.tensor_map
    }
    hopper.wait_stores_read 0 because "shared memory must outlive the stores that read it"
  }
}
