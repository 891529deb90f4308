// Source lines above blocks and reasons after lines.
//
// RUN: %tk-translate --hopper-to-cuda --source=%S/Inputs/comments.tk %s | FileCheck %s --strict-whitespace

#line3 = loc("/some/where/comments.tk":3:1)
#line4 = loc("comments.tk":4:1)
#line5 = loc("comments.tk":5:1)
#line6 = loc("comments.tk":6:1)
#line7 = loc("comments.tk":7:1)
#line9 = loc("comments.tk":9:1)

// Tests that a line is quoted above the first statement that comes from it, without its folder and its indentation,
// and neither again while it goes on nor below the loop that it opens.
// CHECK:      {{^}}  // comments.tk:3 | for (int k : pipeline(n)) {
// CHECK-NEXT: {{^}}#pragma unroll 1
// CHECK-NEXT: {{^}}  for (int i = 0; i < n; ++i) {
// CHECK-NEXT: {{^}}    fence_proxy_async(); // of the loop itself
// CHECK-NEXT: {{^}}    // comments.tk:4 | st<bf16, 64, 64> a = load(A, {k, 0});
// CHECK-NEXT: {{^}}    fence_proxy_async(); // first
// CHECK-NEXT: {{^}}    fence_proxy_async(); // second
// CHECK-NEXT: {{^}}    fence_proxy_async(); // of the loop again
// CHECK-NEXT: {{^}}    fence_proxy_async(); // third
// CHECK-NEXT: {{^}}    // comments.tk:5 | mma_AB(acc, a, b);
// CHECK-NEXT: {{^}}    fence_proxy_async(); // called
// CHECK-NEXT: {{^}}    // comments.tk:4 | st<bf16, 64, 64> a = load(A, {k, 0});
// CHECK-NEXT: {{^}}    fence_proxy_async(); // fused
// CHECK-NEXT: {{^}}  }
// Tests that a line that is too long is cut, that one which ends in a backslash does not swallow the next, and that
// a line that is not at hand is named without its text.
// CHECK-NEXT: {{^}}  // comments.tk:6 | {{x+}} ...{{$}}
// CHECK-NEXT: {{^}}  fence_proxy_async(); // long
// CHECK-NEXT: {{^}}  // comments.tk:7 | continued \ ...{{$}}
// CHECK-NEXT: {{^}}  fence_proxy_async(); // backslash
// CHECK-NEXT: {{^}}  // comments.tk:9{{$}}
// CHECK-NEXT: {{^}}  fence_proxy_async(); // missing
// Tests that the line of a role, which prints none, hides nothing in it.
// CHECK-NEXT: {{^}}  // comments.tk:5 | mma_AB(acc, a, b);
// CHECK-NEXT: {{^}}  fence_proxy_async(); // of the role
hopper.kernel @lines(%n: i32 {tk.name = "n"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    scf.for %i = %c0 to %n step %c1 : i32 {
      hopper.fence_async_proxy because "of the loop itself" loc(#line3)
      hopper.fence_async_proxy because "first" loc(#line4)
      hopper.fence_async_proxy because "second" loc("a"(#line4))
      hopper.fence_async_proxy because "of the loop again" loc(#line3)
      hopper.fence_async_proxy because "third" loc(#line4)
      hopper.fence_async_proxy because "called" loc(callsite(#line9 at #line5))
      hopper.fence_async_proxy because "fused" loc(fused[unknown, #line4, #line9])
    } loc(#line3)
    hopper.fence_async_proxy because "long" loc(#line6)
    hopper.fence_async_proxy because "backslash" loc(#line7)
    hopper.fence_async_proxy because "missing" loc(#line9)
    hopper.fence_async_proxy because "of the role" loc(#line5)
  } loc(#line5)
} loc(unknown)

// Tests that scalars have a paragraph of their own, and a tile its source line.
// CHECK:      {{^}}  using namespace paragraphs_plan;
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}  // comments.tk:3 | for (int k : pipeline(n)) {
// CHECK-NEXT: {{^}}  const int more = n + n;
// CHECK-EMPTY:
// CHECK-NEXT: {{^}}  const uint32_t shared = shared_memory_base();
// CHECK-NEXT: {{^}}  const shared_ring<bf16, 64, 64, 1> a(shared + a_offset);
// CHECK-EMPTY:
// CHECK:      {{^}}  // comments.tk:5 | mma_AB(acc, a, b);
// CHECK-NEXT: {{^}}  const auto a_tile = a[more];
// CHECK-NEXT: {{^}}  rt<float, 64, 64> zeros;
hopper.kernel @paragraphs(%n: i32 {tk.name = "n"}) attributes {threads = 128 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %more = arith.addi %n, %n : i32 loc("more"(#line3))
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %s = hopper.slot %a[%more] {hopper.tile_name = ""} : !hopper.ring<1, 64x64xbf16> loc(#line5)
    %u = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc(#line5)
    hopper.store_fragment %u[%c0, %c0] to %s : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16> loc(#line5)
    hopper.store_fragment %u[%c0, %c0] to %s : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16> loc(#line5)
  }
}

// Tests that the reasons of neighbouring lines begin in one column, that a line without one ends the run, that a reason
// too long for its line stands above it, broken between words, and that one which would not fit the common column ends
// the run too.
// CHECK:      {{^}}  wgmma_fence();       // short
// CHECK-NEXT: {{^}}  wgmma_wait<0>();     // longer
// CHECK-NEXT: {{^}}  fence_proxy_async(); // longest
// CHECK-NEXT: {{^}}  wgmma_commit();
// CHECK-NEXT: {{^}}  wgmma_fence(); // alone
// CHECK-NEXT: {{^}}  // a reason that goes on and on and on and on and on and on and on and on and on and on and on and on and on and on
// CHECK-NEXT: {{^}}  // and on until its line is full
// CHECK-NEXT: {{^}}  wgmma_wait<1>();
// CHECK-NEXT: {{^}}  wgmma_fence(); // a reason that fits after this short line but would not fit where that of the line after it must be
// CHECK-NEXT: {{^}}  fence_proxy_async(); // next
#none = loc(unknown)
hopper.kernel @reasons() attributes {threads = 128 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    hopper.fence_registers because "short" loc(#none)
    hopper.wait_wgmma 0 because "longer" loc(#none)
    hopper.fence_async_proxy because "longest" loc(#none)
    hopper.commit_wgmma loc(#none)
    hopper.fence_registers because "alone" loc(#none)
    hopper.wait_wgmma 1 because "a reason that goes on and on and on and on and on and on and on and on and on and on and on and on and on and on and on until its line is full" loc(#none)
    hopper.fence_registers because "a reason that fits after this short line but would not fit where that of the line after it must be" loc(#none)
    hopper.fence_async_proxy because "next" loc(#none)
  }
}
