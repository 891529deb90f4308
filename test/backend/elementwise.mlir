// Tests how maps, vectors and reductions are spelled.
// RUN: %tk-translate --hopper-to-cuda %s | FileCheck %s

// CHECK: #include <tile/map.h>
// CHECK: #include <tile/reduce.h>

#s = loc("s")
#o = loc("o")
#now = loc("now")
#best = loc("best")
#total = loc("total")

hopper.kernel @softmax(%K: !tk.global<?x?xbf16> {tk.name = "K"}, %scale: f32 {tk.name = "scale"})
    attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %rows = tk.extent %K, 0 : !tk.global<?x?xbf16>
  %scratch_ring = hopper.alloc_ring "scratch" {offset = 0 : i64} : !hopper.ring<1, 8x128xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    "hopper.tile_loop"(%rows, %c1) <{swizzle = 0 : i64}> ({
    ^bb0(%m: i32 loc("m"), %n: i32 loc("n")):

      // Vectors and tiles that are constant at first.
      // CHECK: rt<float, 64, 128> s;
      // CHECK-NEXT: s.fill(0.0f);
      // CHECK-NEXT: col_vec<float, 64> best;
      // CHECK-NEXT: best.fill(-INFINITY);
      %s0 = hopper.map () -> !hopper.fragment<64x128xf32> {
        tk.yield %zero : f32
      } loc(#s)
      %best0 = hopper.map () -> !hopper.vector<64xf32, column> {
        tk.yield %inf : f32
      } loc(#best)

      // A structured binding is captured by name; coordinates are parameters.
      // CHECK: s = map_at(s, [&, m = m](float s, int row, int col) { return m * 128 + col < K_rows ? s : -INFINITY; });
      %s1 = hopper.map (%x = %s0 : !hopper.fragment<64x128xf32>) at (%r, %c) -> !hopper.fragment<64x128xf32> {
        %first = arith.muli %m, %c128 : i32
        %col = arith.addi %first, %c : i32
        %inside = arith.cmpi slt, %col, %rows : i32
        %masked = arith.select %inside, %x, %inf : f32
        tk.yield %masked : f32
      } loc(#s)

      // The old value is still read: the result is a constant of its own.
      // CHECK: const col_vec<float, 64> now = row_max(s, best);
      // CHECK-NEXT: const col_vec<float, 64> alpha = map(best, now, [&](float best, float now) {
      // CHECK-NEXT:   return ex2(sub_rn(best, now) * scale);
      %now = hopper.reduce_rows max %s1 init %best0 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column> loc(#now)
      %alpha = hopper.map (%b = %best0 : !hopper.vector<64xf32, column>, %a = %now : !hopper.vector<64xf32, column>)
          -> !hopper.vector<64xf32, column> {
        %0 = arith.subf %b, %a : f32
        %1 = arith.mulf %0, %scale : f32
        %2 = math.exp2 %1 : f32
        tk.yield %2 : f32
      } loc("alpha")

      // The map that the whole design is about.
      // CHECK: s = map(s, now, [&](float s, float now) { return ex2(sub_rn(s * scale, now * scale)); });
      %s2 = hopper.map (%x = %s1 : !hopper.fragment<64x128xf32>, %a = %now : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x128xf32> {
        %0 = arith.mulf %x, %scale : f32
        %1 = arith.mulf %a, %scale : f32
        %2 = arith.subf %0, %1 : f32
        %3 = math.exp2 %2 : f32
        tk.yield %3 : f32
      } loc(#s)

      // CHECK: col_vec<float, 64> total = partial_row_sum(s);
      // CHECK-NEXT: total = finish_row_sum(total);
      %total0 = hopper.reduce_rows add partial %s2 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column> loc(#total)
      %total1 = hopper.finish_rows add %total0 : !hopper.vector<64xf32, column> loc(#total)

      // A vote of the warp.
      // CHECK: const bool differs = any_row(total, [&](float total) { return total != 1.0f; });
      %differs = hopper.any_row (%x = %total1 : !hopper.vector<64xf32, column>) -> i1 {
        %0 = arith.cmpf une, %x, %one : f32
        tk.yield %0 : i1
      } loc("differs")

      // Rounding: alone it is a conversion; after a map it is the map's; in the middle it is said.
      // CHECK: const rt<bf16, 64, 128> p = convert<bf16>(s);
      // CHECK-NEXT: const rt<bf16, 64, 128> q = map<bf16>(s, total, [&](float s, float total) { return s * rcp(total); });
      // CHECK-NEXT: const rt<float, 64, 128> r = map(s, p, [&](float s, float p) { return s - rounded<bf16>(s * p); });
      %p = hopper.map (%x = %s2 : !hopper.fragment<64x128xf32>) -> !hopper.fragment<64x128xbf16> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      } loc("p")
      %q = hopper.map (%x = %s2 : !hopper.fragment<64x128xf32>, %t = %total1 : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x128xbf16> {
        %0 = arith.divf %one, %t : f32
        %1 = arith.mulf %x, %0 : f32
        %2 = arith.truncf %1 : f32 to bf16
        tk.yield %2 : bf16
      } loc("q")
      %r = hopper.map (%x = %s2 : !hopper.fragment<64x128xf32>, %y = %p : !hopper.fragment<64x128xbf16>)
          -> !hopper.fragment<64x128xf32> {
        %0 = arith.extf %y : bf16 to f32
        %1 = arith.mulf %x, %0 : f32
        %2 = arith.truncf %1 : f32 to bf16
        %3 = arith.extf %2 : bf16 to f32
        %4 = arith.subf %x, %3 : f32
        tk.yield %4 : f32
      } loc("r")

      // Columns, through shared memory.
      // CHECK: const row_vec<float, 128> sums = col_sum<1>(s, scratch[0].address, warpgroup_barrier);
      %scratch = hopper.slot %scratch_ring[%c0] : !hopper.ring<1, 8x128xf32>
      %sums = hopper.reduce_columns add %s2 across 1 through %scratch {barrier_id = 2 : i64}
        : !hopper.fragment<64x128xf32>, !hopper.shared<8x128xf32> -> !hopper.vector<128xf32, row> loc("sums")

      // The shape that no operand has is said.
      // CHECK: const rt<float, 64, 128> wide = map<rt<float, 64, 128>>(sums, [&](float sums) { return sums; });
      // CHECK-NEXT: const row_vec<float, 128> slopes = map_at<row_vec<float, 128>>([&](int index) { return float(index); });
      %wide = hopper.map (%x = %sums : !hopper.vector<128xf32, row>) -> !hopper.fragment<64x128xf32> {
        tk.yield %x : f32
      } loc("wide")
      %slopes = hopper.map () at (%i) -> !hopper.vector<128xf32, row> {
        %0 = arith.sitofp %i : i32 to f32
        tk.yield %0 : f32
      } loc("slopes")

      // A body with a name of the user's, or too long for a line, is a lambda of several lines.
      // CHECK: const rt<float, 64, 64> half = s.columns<64>(64);
      // CHECK-NEXT: const rt<float, 64, 64> gelu = map(half, [&](float half) {
      // CHECK-NEXT:   const float inner = half * (half * half + 1.0f);
      // CHECK-NEXT:   return half * tanh_approx(inner) + half;
      // CHECK-NEXT: });
      %half = hopper.slice %s2[0, 64] : !hopper.fragment<64x128xf32> -> !hopper.fragment<64x64xf32> loc("half")
      %gelu = hopper.map (%x = %half : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xf32> {
        %0 = arith.mulf %x, %x : f32
        %1 = arith.addf %0, %one : f32
        %2 = arith.mulf %x, %1 : f32 loc("inner")
        %3 = math.tanh %2 fastmath<afn> : f32
        %4 = arith.mulf %x, %3 : f32
        %5 = arith.addf %4, %x : f32
        tk.yield %5 : f32
      } loc("gelu")

      // What a loop carries stays in its variable, and a vector that a map has computed is assigned to it.
      // CHECK: for (int j = 0; j < K_rows; ++j) {
      // CHECK-NEXT: o = map(o, alpha, [&](float o, float alpha) { return o * alpha; });
      // CHECK-NEXT: const col_vec<float, 64> next = map(now, [&](float now) { return now + 1.0f; });
      // CHECK: best = next;
      // CHECK-NEXT: }
      %o0 = hopper.map () -> !hopper.fragment<64x128xf32> {
        tk.yield %zero : f32
      } loc(#o)
      %o, %best = "scf.for"(%c0, %rows, %c1, %o0, %best0) ({
      ^bb0(%j: i32 loc("j"), %o1: !hopper.fragment<64x128xf32> loc(#o), %best1: !hopper.vector<64xf32, column> loc(#best)):
        %o2 = hopper.map (%x = %o1 : !hopper.fragment<64x128xf32>, %f = %alpha : !hopper.vector<64xf32, column>)
            -> !hopper.fragment<64x128xf32> {
          %0 = arith.mulf %x, %f : f32
          tk.yield %0 : f32
        } loc(#o)
        %next = hopper.map (%x = %now : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
          %0 = arith.addf %x, %one : f32
          tk.yield %0 : f32
        } loc("next")
        %again = hopper.reduce_rows max %o2 init %best1 : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column> loc("again")
        %best2 = hopper.copy %next : !hopper.vector<64xf32, column>
        scf.yield %o2, %best2 : !hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>
      }) : (i32, i32, i32, !hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>) -> (!hopper.fragment<64x128xf32>, !hopper.vector<64xf32, column>)

      // What a branch hands on unchanged, the other one writes in place; the branch that computes nothing is not said.
      // CHECK: if (m > 0) {
      // CHECK-NEXT: best = map(best, [&](float best) { return best + best; });
      // CHECK-NEXT: }
      // CHECK-NOT: else
      %isLater = arith.cmpi sgt, %m, %c0 : i32
      %chosen = scf.if %isLater -> (!hopper.vector<64xf32, column>) {
        %doubled = hopper.map (%x = %best : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
          %0 = arith.addf %x, %x : f32
          tk.yield %0 : f32
        } loc("doubled")
        scf.yield %doubled : !hopper.vector<64xf32, column>
      } else {
        scf.yield %best : !hopper.vector<64xf32, column>
      }

      // CHECK: if (!(m > 0)) {
      // CHECK: chosen_2 = map(chosen_2, [&](float chosen_2) { return chosen_2 + 1.0f; });
      // CHECK-NEXT: }
      %started = hopper.map (%x = %chosen : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.subf %x, %one : f32
        tk.yield %0 : f32
      } loc("chosen_2")
      %kept = scf.if %isLater -> (!hopper.vector<64xf32, column>) {
        scf.yield %started : !hopper.vector<64xf32, column>
      } else {
        %more = hopper.map (%x = %started : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
          %0 = arith.addf %x, %one : f32
          tk.yield %0 : f32
        }
        scf.yield %more : !hopper.vector<64xf32, column>
      }
      %last = hopper.reduce_rows add %o init %kept : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column> loc("last")

      // Several results are as many maps, and the operand keeps its variable until the last.
      // CHECK: rt<float, 64, 128> sine = map(o, [&](float o) { return sinf(o); });
      // CHECK-NEXT: const rt<int, 64, 128> sine_2 = convert<int>(o);
      %two:2 = hopper.map (%x = %o : !hopper.fragment<64x128xf32>) -> (!hopper.fragment<64x128xf32>, !hopper.fragment<64x128xi32>) {
        %0 = math.sin %x : f32
        %1 = arith.fptosi %x : f32 to i32
        tk.yield %0, %1 : f32, i32
      } loc("sine")
      %use = hopper.map (%x = %two#0 : !hopper.fragment<64x128xf32>, %y = %two#1 : !hopper.fragment<64x128xi32>) -> !hopper.fragment<64x128xf32> {
        %0 = arith.sitofp %y : i32 to f32
        %1 = arith.addf %x, %0 : f32
        tk.yield %1 : f32
      }
    }) : (i32, i32) -> ()
  }
}
