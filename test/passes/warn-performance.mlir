// RUN: %tk-opt %s --tk-warn-performance --split-input-file --verify-diagnostics | FileCheck %s
// RUN: %tk-opt %s --tk-warn-performance=silenced=narrow-product,serial-product,shallow-ring,bank-conflict,tile-copy,column-reduction,idle-multiprocessors --split-input-file 2>&1 >/dev/null | FileCheck %s --allow-empty --check-prefix=SILENT
// SILENT-NOT: warning

// Tests that a product of fewer than 64 columns is warned of if it reads both operands from shared memory, once for each
// place.

// CHECK-LABEL: hopper.kernel @narrow
hopper.kernel @narrow(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" {swizzle = 128 : i64} : !hopper.ring<1, 32x64xbf16>
  %c = hopper.alloc_ring "c" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 32x64xbf16>
    %z = hopper.slot %c[%c0] : !hopper.ring<1, 64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x32xf32>
    // expected-warning @below {{a product of 32 columns multiplies for 16 clocks and reads shared memory for 24; give the tile 64 columns or more, or keep the left operand in registers [-Wtk-perf-narrow-product]}}
    %r = hopper.wgmma ABt %acc, %x, %y accumulate %true : !hopper.fragment<64x32xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<32x64xbf16>
    %wide = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %s = hopper.wgmma ABt %wide, %x, %z accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %left = hopper.load_fragment %x : !hopper.shared<64x64xbf16> -> !hopper.fragment<64x64xbf16>
    %t = hopper.wgmma ABt %r, %left, %y accumulate %true : !hopper.fragment<64x32xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<32x64xbf16>
  }
}

// -----

// Tests that a loop is warned of in which the product is waited for before elementwise work, and not one in which another
// product still runs; nor one with products alone.

// CHECK-LABEL: hopper.kernel @serial
hopper.kernel @serial(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %acc = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %other = hopper.uninitialized : !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{in this loop the tensor cores wait for elementwise work and it for them}}
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      hopper.wait_products 0 because "s is read"
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      %o = hopper.wgmma ABt %other, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      hopper.wait_products 1 because "s is read"
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column>
      hopper.wait_products 0 because "o is read"
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = hopper.wgmma ABt %acc, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_products
      hopper.wait_products 0 because "it is the end"
    }
  }
}

// -----

// Tests that a ring of one stage is warned of if its load stands in a loop.

// CHECK-LABEL: hopper.kernel @shallow
hopper.kernel @shallow(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = hopper.alloc_ring "q" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %k = hopper.alloc_ring "k" {swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %v = hopper.alloc_ring "v" {swizzle = 128 : i64} : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  %fuller = hopper.alloc_barrier "fuller" arrivals 1 : !hopper.barrier<2>
  hopper.role producer warpgroups 1 {
    %one = hopper.cursor "one" : !hopper.cursor<1>
    %two = hopper.cursor "two" : !hopper.cursor<2>
    %s = hopper.stage %q[%one] : !hopper.ring<1, 64x64xbf16>
    hopper.tma_load %A[%c0, %c0] to %s signals %full[%one] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %t = hopper.stage %k[%one] : !hopper.ring<1, 64x64xbf16>
      // expected-warning @below {{'k' has one stage, so that each load of this loop waits until the one before has been read}}
      hopper.tma_load %A[%i, %c0] to %t signals %full[%one] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
      %u = hopper.stage %v[%two] : !hopper.ring<2, 64x64xbf16>
      hopper.tma_load %A[%i, %c0] to %u signals %fuller[%two] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<2>
    }
  }
}

// -----

// Tests that a bank conflict is warned of: of four-byte elements, with rows that are swizzled over 64 bytes.

// CHECK-LABEL: hopper.kernel @banks
hopper.kernel @banks(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {swizzle = 64 : i64} : !hopper.ring<1, 64x16xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.slot %a[%c0] : !hopper.ring<1, 64x16xf32>
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x16xf32>
    // expected-warning @below {{st.shared.v2 of 'a' takes 2 turns where one would do, because of bank conflicts}}
    hopper.store_fragment %acc[%c0, %c0] to %t : !hopper.fragment<64x16xf32>, !hopper.shared<64x16xf32>
  }
}

// -----

// Tests that a copy of a tile is warned of in a loop, and not that of a vector, nor behind the loop.

// CHECK-LABEL: hopper.kernel @copy
hopper.kernel @copy(%A: !tk.global<?x?xbf16>, %n: i32, %v: !hopper.vector<64xf32, column>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.uninitialized : !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{a tile is copied in every iteration, 32 registers a thread, because two values of it are needed at once}}
      %u = hopper.copy %t : !hopper.fragment<64x64xf32>
      %r = hopper.copy %v : !hopper.vector<64xf32, column>
    }
    %u = hopper.copy %t : !hopper.fragment<64x64xf32>
  }
}

// -----

// Tests that a reduction along columns is warned of in a loop, if warps meet for it.

// CHECK-LABEL: hopper.kernel @columns
hopper.kernel @columns(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = hopper.alloc_ring "scratch" {swizzle = 128 : i64} : !hopper.ring<1, 16x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %t = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %s = hopper.slot %ring[%c0] : !hopper.ring<1, 16x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-warning @below {{a reduction along columns goes through shared memory, and all warps meet twice}}
      %m = hopper.reduce_columns add %t across 1 through %s {barrier_id = 1 : i64} : !hopper.fragment<64x64xf32>, !hopper.shared<16x64xf32> -> !hopper.vector<64xf32, row>
    }
  }
}

// -----

// Tests grids of known size: 64 tiles leave half of the machine idle, 140 leave most of the second round; 1000 and grids
// that are known at launch are not warned of.

// CHECK-LABEL: hopper.kernel @grids
hopper.kernel @grids(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c8 = arith.constant 8 : i32
  %c10 = arith.constant 10 : i32
  %c14 = arith.constant 14 : i32
  %c100 = arith.constant 100 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    // expected-warning @below {{the grid has 64 tiles for 132 multiprocessors, which are busy 48 % of the time; smaller tiles occupy more of them}}
    hopper.tile_loop (%m, %l) in (%c8, %c8) {
    }
    // expected-warning @below {{the grid has 140 tiles for 132 multiprocessors, which are busy 53 % of the time; other tile sizes may leave less in the last round}}
    hopper.tile_loop (%m, %l) in (%c10, %c14) {
    }
    hopper.tile_loop (%m, %l) in (%c10, %c100) {
    }
    hopper.tile_loop (%m, %l) in (%c10, %n) {
    }
  }
}
