// Tests that equal fragments are two variables: neither CSE nor canonicalisation merges them.

// RUN: %tk-opt %s --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @variables
// CHECK: hopper.uninitialized
// CHECK: hopper.uninitialized
hopper.kernel @variables(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
  %empty = hopper.alloc_barrier "empty" arrivals 4 : !hopper.barrier<4>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %p = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %q = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %r = hopper.wgmma ABt %p, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    %s = hopper.wgmma ABt %q, %x, %x accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
  }
}
