// Tests that the first MMA of the next iteration comes before the last one of this, that the tile made of it goes round the
// loop, and that the last MMA's stage is given back through a cursor of its own. A scalar that only the head reads is computed
// for the next iteration alone. The wait for the next ring's load stands between the elementwise work and the conversion.

// RUN: %tk-opt %s --tk-rotate-loops | FileCheck %s

// CHECK-LABEL: hopper.kernel @rotated
// CHECK: %[[USE:.*]] = hopper.cursor "q_use"
// CHECK: %[[RELEASE:.*]] = hopper.cursor "q_release"
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N:.*]] : i32
// CHECK: %[[FIRST:.*]] = scf.if %[[RUNS]]
// CHECK: hopper.wait_barrier %{{.*}}[%[[USE]]]
// CHECK: hopper.wgmma ABt
// CHECK: hopper.wait_barrier %[[D_FULL:.*]][%[[D_USE:.*]]]
// CHECK: hopper.advance %[[USE]]
// CHECK: scf.for %[[J:.*]] = {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[P:.*]] = %[[FIRST]])
// CHECK-NOT: arith.addi
// CHECK-NOT: hopper.wait_barrier
// CHECK: hopper.stage %{{.*}}[%[[RELEASE]]]
// CHECK: hopper.wgmma AB %[[X]], %[[P]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %{{.*}} : i32
// CHECK: %[[GOES:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]] : i32
// CHECK: scf.if %[[GOES]]
// CHECK: hopper.wait_barrier %{{.*}}[%[[USE]]]
// CHECK: hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.wgmma AB %[[Y]]
// CHECK-NEXT: hopper.commit_wgmma
// CHECK: arith.mulf
// CHECK-NOT: arith.truncf
// CHECK: hopper.wait_barrier %[[D_FULL]][%[[D_USE]]]
// CHECK-NEXT: hopper.arrive %{{.*}}[%[[RELEASE]]]
// CHECK-NEXT: hopper.advance %[[RELEASE]]
// CHECK-NEXT: hopper.map
// CHECK-NEXT: arith.truncf
// CHECK: hopper.advance %[[USE]]
// CHECK: } else {
// CHECK-NEXT: hopper.wgmma AB %[[Y]]
// CHECK: hopper.arrive %{{.*}}[%[[RELEASE]]]

// Without a reducer the loop stays as it is.
// CHECK-LABEL: hopper.kernel @without_reducer
// CHECK-NOT: scf.if

hopper.kernel @rotated(%K: !tk.global<?x64xbf16> {tk.name = "K"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant 5.0e-01 : f32
  %false = arith.constant false
  %true = arith.constant true
  %k = hopper.alloc_ring "k" : <1, 64x64xbf16>
  %q = hopper.alloc_ring "q" : <2, 64x64xbf16>
  %d = hopper.alloc_ring "d" : <2, 64x64xbf16>
  %q_full = hopper.alloc_barrier "q_full" arrivals 1 : <2>
  %q_empty = hopper.alloc_barrier "q_empty" arrivals 4 : <2>
  %d_full = hopper.alloc_barrier "d_full" arrivals 1 : <2>
  %d_empty = hopper.alloc_barrier "d_empty" arrivals 4 : <2>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %q_use = hopper.cursor "q_use" : <2>
    %d_use = hopper.cursor "d_use" : <2>
    %k_tile = hopper.slot %k[%c0] : <1, 64x64xbf16>
    %x0 = hopper.uninitialized : <64x64xf32>
    %y0 = hopper.uninitialized : <64x64xf32>
    %sums:2 = scf.for %j = %c0 to %n step %c1 iter_args(%x = %x0, %y = %y0) -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>) : i32 {
      %later = arith.cmpi sgt, %j, %c0 : i32
      hopper.wait_barrier %q_full[%q_use] because "a test" : <2>
      %none = hopper.uninitialized : <64x64xf32>
      %q_tile = hopper.stage %q[%q_use] : <2, 64x64xbf16>
      %s = hopper.wgmma ABt %none, %k_tile, %q_tile accumulate %false : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %p = hopper.map (%e = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %scaled = arith.mulf %e, %half : f32
        %narrow = arith.truncf %scaled : f32 to bf16
        tk.yield %narrow : bf16
      }
      hopper.wait_barrier %d_full[%d_use] because "a test" : <2>
      %d_tile = hopper.stage %d[%d_use] : <2, 64x64xbf16>
      %x_next = hopper.wgmma AB %x, %p, %d_tile accumulate %later : <64x64xf32>, !hopper.fragment<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %t0 = hopper.uninitialized : <64x64xf32>
      %t = hopper.wgmma ABt %t0, %k_tile, %d_tile accumulate %false : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %r = hopper.map (%e = %t : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %narrow = arith.truncf %e : f32 to bf16
        tk.yield %narrow : bf16
      }
      %y_next = hopper.wgmma AB %y, %r, %q_tile accumulate %later : <64x64xf32>, !hopper.fragment<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      hopper.arrive %q_empty[%q_use] : <2>
      hopper.advance %q_use : <2>
      hopper.arrive %d_empty[%d_use] : <2>
      hopper.advance %d_use : <2>
      scf.yield %x_next, %y_next : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>
    }
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    %q_fill = hopper.cursor "q_fill" : <2>
    %to = hopper.stage %q[%q_fill] : <2, 64x64xbf16>
    hopper.tma_load %K[%c0, %c0] to %to signals %q_full[%q_fill] : !tk.global<?x64xbf16>, <64x64xbf16>, <2>
  }
}

hopper.kernel @without_reducer(%K: !tk.global<?x64xbf16> {tk.name = "K"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant 5.0e-01 : f32
  %false = arith.constant false
  %true = arith.constant true
  %k = hopper.alloc_ring "k" : <1, 64x64xbf16>
  %q = hopper.alloc_ring "q" : <2, 64x64xbf16>
  %d = hopper.alloc_ring "d" : <2, 64x64xbf16>
  %q_full = hopper.alloc_barrier "q_full" arrivals 1 : <2>
  %q_empty = hopper.alloc_barrier "q_empty" arrivals 4 : <2>
  %d_full = hopper.alloc_barrier "d_full" arrivals 1 : <2>
  %d_empty = hopper.alloc_barrier "d_empty" arrivals 4 : <2>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %q_use = hopper.cursor "q_use" : <2>
    %d_use = hopper.cursor "d_use" : <2>
    %k_tile = hopper.slot %k[%c0] : <1, 64x64xbf16>
    %x0 = hopper.uninitialized : <64x64xf32>
    %y0 = hopper.uninitialized : <64x64xf32>
    %sums:2 = scf.for %j = %c0 to %n step %c1 iter_args(%x = %x0, %y = %y0) -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>) : i32 {
      %later = arith.cmpi sgt, %j, %c0 : i32
      hopper.wait_barrier %q_full[%q_use] because "a test" : <2>
      %none = hopper.uninitialized : <64x64xf32>
      %q_tile = hopper.stage %q[%q_use] : <2, 64x64xbf16>
      %s = hopper.wgmma ABt %none, %k_tile, %q_tile accumulate %false : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %p = hopper.map (%e = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %scaled = arith.mulf %e, %half : f32
        %narrow = arith.truncf %scaled : f32 to bf16
        tk.yield %narrow : bf16
      }
      hopper.wait_barrier %d_full[%d_use] because "a test" : <2>
      %d_tile = hopper.stage %d[%d_use] : <2, 64x64xbf16>
      %x_next = hopper.wgmma AB %x, %p, %d_tile accumulate %later : <64x64xf32>, !hopper.fragment<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %t0 = hopper.uninitialized : <64x64xf32>
      %t = hopper.wgmma ABt %t0, %k_tile, %d_tile accumulate %false : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      %r = hopper.map (%e = %t : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %narrow = arith.truncf %e : f32 to bf16
        tk.yield %narrow : bf16
      }
      %y_next = hopper.wgmma AB %y, %r, %q_tile accumulate %later : <64x64xf32>, !hopper.fragment<64x64xbf16>, <64x64xbf16>
      hopper.commit_wgmma
      hopper.arrive %q_empty[%q_use] : <2>
      hopper.advance %q_use : <2>
      hopper.arrive %d_empty[%d_use] : <2>
      hopper.advance %d_use : <2>
      scf.yield %x_next, %y_next : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xf32>
    }
  }
  hopper.role producer warpgroups 1 {
    %q_fill = hopper.cursor "q_fill" : <2>
    %to = hopper.stage %q[%q_fill] : <2, 64x64xbf16>
    hopper.tma_load %K[%c0, %c0] to %to signals %q_full[%q_fill] : !tk.global<?x64xbf16>, <64x64xbf16>, <2>
  }
}
