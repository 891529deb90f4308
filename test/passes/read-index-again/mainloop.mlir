// Tests that a mainloop of warpgroups with tiles of their own reads the index again in each iteration where threads
// exchange 8-bit elements, which takes the registers of addresses, and nowhere else.

// RUN: %tk-opt %s --tk-read-index-again | FileCheck %s

!acc = !hopper.fragment<64x64xf32>

// CHECK-LABEL: hopper.kernel @exchanges
// CHECK: ^bb0(%[[OLD:.+]]: i32)
// CHECK: scf.for
// CHECK-NEXT: %[[NEW:.+]] = hopper.warpgroup_index because "read again
// CHECK-NOT: %[[OLD]]
// CHECK: hopper.slot %{{.+}}[%[[NEW]]]
// CHECK-NOT: hopper.warpgroup_index
hopper.kernel @exchanges(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %k = hopper.alloc_ring "k" : !hopper.ring<2, 64x64xf8E4M3FN>
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<2, 64x64xf32>
  hopper.role consumer warpgroups 2 registers 232 each warpgroup {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %t = hopper.uninitialized : !acc
      %sum = scf.for %j = %c0 to %n step %c1 iter_args(%t_j = %t) -> (!acc) : i32 {
        %from = hopper.slot %k[%w] : !hopper.ring<2, 64x64xf8E4M3FN>
        %x = hopper.load_fragment %from : !hopper.shared<64x64xf8E4M3FN> -> !hopper.fragment<64x64xf8E4M3FN>
        %y = hopper.map (%e = %x : !hopper.fragment<64x64xf8E4M3FN>) -> !hopper.fragment<64x64xbf16> {
          %wide = arith.extf %e : f8E4M3FN to f32
          %sum = arith.addf %wide, %wide : f32
          %narrow = arith.truncf %sum : f32 to bf16
          tk.yield %narrow : bf16
        }
        %p = hopper.slot %a[%w] : !hopper.ring<2, 64x64xbf16>
        hopper.store_fragment %y[%c0, %c0] to %p : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
        %q = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
        %next = hopper.wgmma AB %t_j, %p, %q accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        scf.yield %next : !acc
      }
      %s = hopper.slot %d[%w] : !hopper.ring<2, 64x64xf32>
      hopper.store_fragment %sum[%c0, %c0] to %s : !acc, !hopper.shared<64x64xf32>
    }
  }
}

// CHECK-LABEL: hopper.kernel @sixteen_bits
// CHECK-NOT: hopper.warpgroup_index
hopper.kernel @sixteen_bits(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %k = hopper.alloc_ring "k" : !hopper.ring<2, 64x64xf16>
  %a = hopper.alloc_ring "a" : !hopper.ring<2, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x64xbf16>
  %d = hopper.alloc_ring "d" : !hopper.ring<2, 64x64xf32>
  hopper.role consumer warpgroups 2 registers 232 each warpgroup {
  ^bb0(%w: i32):
    hopper.tile_loop (%m) in (%n) {
      %t = hopper.uninitialized : !acc
      %sum = scf.for %j = %c0 to %n step %c1 iter_args(%t_j = %t) -> (!acc) : i32 {
        %from = hopper.slot %k[%w] : !hopper.ring<2, 64x64xf16>
        %x = hopper.load_fragment %from : !hopper.shared<64x64xf16> -> !hopper.fragment<64x64xf16>
        %y = hopper.map (%e = %x : !hopper.fragment<64x64xf16>) -> !hopper.fragment<64x64xbf16> {
          %wide = arith.extf %e : f16 to f32
          %sum = arith.addf %wide, %wide : f32
          %narrow = arith.truncf %sum : f32 to bf16
          tk.yield %narrow : bf16
        }
        %p = hopper.slot %a[%w] : !hopper.ring<2, 64x64xbf16>
        hopper.store_fragment %y[%c0, %c0] to %p : !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
        %q = hopper.slot %b[%c0] : !hopper.ring<1, 64x64xbf16>
        %next = hopper.wgmma AB %t_j, %p, %q accumulate %true : !acc, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
        scf.yield %next : !acc
      }
      %s = hopper.slot %d[%w] : !hopper.ring<2, 64x64xf32>
      hopper.store_fragment %sum[%c0, %c0] to %s : !acc, !hopper.shared<64x64xf32>
    }
  }
}
