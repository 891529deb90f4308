// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: %tk-opt %s --tk-assign-variables --tk-assign-variables | FileCheck %s

// Tests that a product which updates its variable needs no copy.

// CHECK-LABEL: hopper.kernel @update
// CHECK-NOT: hopper.copy
hopper.kernel @update(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role producer warpgroups 1 {
    hopper.wait_grid_dependency because "a test"
    %fill = hopper.cursor "fill" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      hopper.wait_barrier %empty[%fill] previous because "a test" : !hopper.barrier<4>
      hopper.expect_bytes %full[%fill], 8192 : !hopper.barrier<4>
      %at = hopper.stage %a[%fill] : !hopper.ring<4, 64x64xbf16>
      hopper.tma_load %A[%m, %c0] to %at signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<4>
      hopper.advance %fill : !hopper.cursor<4>
    }
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %use = hopper.cursor "use" : !hopper.cursor<4>
    %release = hopper.cursor "release" : !hopper.cursor<4>
    hopper.tile_loop (%m) in (%c4) {
      %start = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("acc")
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
        %later = arith.cmpi sgt, %k, %c0 : i32
        hopper.wait_barrier %full[%use] because "a test" : !hopper.barrier<4>
        %at = hopper.stage %a[%use] : !hopper.ring<4, 64x64xbf16>
        %next = hopper.wgmma ABt %acc, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        hopper.commit_products
        scf.if %later {
          hopper.arrive %empty[%release] distance 1 : !hopper.barrier<4>
          hopper.advance %release : !hopper.cursor<4>
        }
        hopper.advance %use : !hopper.cursor<4>
        scf.yield %next : !hopper.fragment<64x64xf32>
      }
      hopper.arrive %empty[%release] : !hopper.barrier<4>
      hopper.advance %release : !hopper.cursor<4>
    }
  }
}

// Tests that an accumulator that is read again is copied before the product overwrites it, and that one that holds
// nothing is made anew instead.

// CHECK-LABEL: hopper.kernel @copies
// CHECK: %[[F:.+]] = hopper.fill
// CHECK: %[[COPY:.+]] = hopper.copy %[[F]]
// CHECK-NEXT: hopper.wgmma ABt %[[COPY]]
// CHECK-NEXT: hopper.wgmma ABt %[[F]]
// CHECK: %[[U:.+]] = hopper.uninitialized
// CHECK: %[[V:.+]] = hopper.uninitialized
// CHECK-NEXT: hopper.wgmma ABt %[[V]]
// CHECK-NEXT: hopper.wgmma ABt %[[U]]
// CHECK-NOT: hopper.copy
hopper.kernel @copies(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %r = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %s = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %u = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %t = hopper.wgmma ABt %u, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %v = hopper.wgmma ABt %u, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
  }
}

// Tests that a product in a loop which starts from the same value each time copies it each time.

// CHECK-LABEL: hopper.kernel @again
// CHECK: %[[F:.+]] = hopper.fill
// CHECK: scf.for
// CHECK: %[[COPY:.+]] = hopper.copy %[[F]]
// CHECK-NEXT: hopper.wgmma ABt %[[COPY]]
hopper.kernel @again(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" {offset = 32768 : i64, swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %r = hopper.wgmma ABt %f, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    }
  }
}

// Tests that a loop which exchanges two vectors needs one copy more than it has variables.

// CHECK-LABEL: hopper.kernel @exchange
// CHECK: scf.for {{.*}} iter_args(%[[P:.+]] = {{.*}}, %[[Q:.+]] = {{.*}})
// CHECK-COUNT-3: hopper.copy
// CHECK-NOT: hopper.copy
// CHECK: scf.yield
hopper.kernel @exchange(%out: !tk.global<?xf32> {tk.name = "out"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %g = hopper.fill %one : f32, !hopper.vector<64xf32, column>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %f, %q = %g)
        -> (!hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>) : i32 {
      scf.yield %q, %p : !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>
    }
    hopper.store_global %r#0 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
    hopper.store_global %r#1 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}

// Tests a running maximum: the new one is copied where the loop ends, because the old one is still read after it is
// computed; everything else is updated in place.

// CHECK-LABEL: hopper.kernel @softmax
// CHECK: scf.for
// CHECK-NOT: hopper.copy
// CHECK: %[[NOW:.+]] = hopper.reduce_rows max
// CHECK-COUNT-3: hopper.map
// CHECK: %[[BEST:.+]] = hopper.copy %[[NOW]]
// CHECK-NEXT: scf.yield %{{.+}}, %[[BEST]], %{{.+}}
// CHECK-NOT: hopper.copy
hopper.kernel @softmax(%out: !tk.global<?xf32> {tk.name = "out"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %s = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %o0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %best0 = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %total0 = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %o0, %best = %best0, %total = %total0)
        -> (!hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>) : i32 {
      %now = hopper.reduce_rows max %s init %best : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
      %fade = hopper.map (%b = %best : !hopper.vector<64xf32, column>, %a = %now : !hopper.vector<64xf32, column>)
          -> !hopper.vector<64xf32, column> {
        %0 = arith.subf %b, %a : f32
        tk.yield %0 : f32
      }
      %total1 = hopper.map (%b = %total : !hopper.vector<64xf32, column>, %a = %fade : !hopper.vector<64xf32, column>)
          -> !hopper.vector<64xf32, column> {
        %0 = arith.mulf %b, %a : f32
        tk.yield %0 : f32
      }
      %o1 = hopper.map (%x = %o : !hopper.fragment<64x64xf32>, %a = %fade : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x64xf32> {
        %0 = arith.mulf %x, %a : f32
        tk.yield %0 : f32
      }
      scf.yield %o1, %now, %total1 : !hopper.fragment<64x64xf32>, !hopper.vector<64xf32, column>, !hopper.vector<64xf32, column>
    }
    hopper.store_global %r#1 to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}

// Tests that a branch which passes a tile on needs no copy, and one that chooses a tile which is read later does.

// CHECK-LABEL: hopper.kernel @branch
// CHECK: scf.if
// CHECK-NOT: hopper.copy
// CHECK: scf.if
// CHECK: else
// CHECK-NEXT: %[[COPY:.+]] = hopper.copy
// CHECK-NEXT: scf.yield %[[COPY]]
hopper.kernel @branch(%out: !tk.global<?xf32> {tk.name = "out"}, %p: i1) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %v = hopper.fill %zero : f32, !hopper.vector<64xf32, column>
    %r = scf.if %p -> (!hopper.vector<64xf32, column>) {
      %t = hopper.map (%b = %v : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.addf %b, %b : f32
        tk.yield %0 : f32
      }
      scf.yield %t : !hopper.vector<64xf32, column>
    } else {
      scf.yield %v : !hopper.vector<64xf32, column>
    }
    %x = scf.if %p -> (!hopper.vector<64xf32, column>) {
      %t = hopper.map (%b = %r : !hopper.vector<64xf32, column>) -> !hopper.vector<64xf32, column> {
        %0 = arith.addf %b, %b : f32
        tk.yield %0 : f32
      }
      scf.yield %t : !hopper.vector<64xf32, column>
    } else {
      scf.yield %r : !hopper.vector<64xf32, column>
    }
    hopper.store_global %r to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
    hopper.store_global %x to %out[%c0] : !hopper.vector<64xf32, column>, !tk.global<?xf32>
  }
}
