// Tests that rings with ones, what fills them, and the MMAs and votes that go with them are printed as they are read.

// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// CHECK-LABEL: hopper.kernel @ones
hopper.kernel @ones() {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  // CHECK: hopper.alloc_ring "v" : <2, 64x64xbf16, with_ones>
  %v = hopper.alloc_ring "v" : !hopper.ring<2, 64x64xbf16, with_ones>
  // CHECK: hopper.fill_ones %{{.*}} : <2, 64x64xbf16, with_ones>
  hopper.fill_ones %v : !hopper.ring<2, 64x64xbf16, with_ones>
  %b = hopper.slot %v[%c0] : !hopper.ring<2, 64x64xbf16, with_ones>
  %a = hopper.uninitialized : !hopper.fragment<64x64xbf16>
  %acc = hopper.uninitialized : !hopper.fragment<64x72xf32>
  // CHECK: hopper.wgmma AB %{{.*}} {sums} : <64x72xf32>, !hopper.fragment<64x64xbf16>, <64x64xbf16>
  %r = hopper.wgmma AB %acc, %a, %b accumulate %true {sums} : !hopper.fragment<64x72xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
  // CHECK: hopper.any_large %{{.*}} : !hopper.fragment<64x64xbf16>
  %p = hopper.any_large %a : !hopper.fragment<64x64xbf16>
}
