// RUN: %tk-opt %s --test-register-prediction --verify-diagnostics -o /dev/null

// Tests that a role without tiles has an upper bound, and that a consumer needs more than its tiles: 64 registers.

hopper.kernel @plain(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xbf16>
  // expected-remark @below {{expects 24, at least 24}}
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  // expected-remark @below {{expects 89, at least 96}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    // expected-remark @below {{the most}}
    %acc = hopper.fill %zero : f32, !hopper.fragment<64x128xf32>
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xbf16>
    hopper.store_fragment %acc[%c0, %c0] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
  }
}

// Tests that a load of many boxes needs more: 27 of 16 columns, when 8 are usual.

hopper.kernel @boxes(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %ring = hopper.alloc_ring "ring" : !hopper.ring<1, 32x432xbf16>
  %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<1>
  // expected-remark @below {{expects 43, at least 43}}
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    %stage = hopper.stage %ring[%fill] : !hopper.ring<1, 32x432xbf16>
    hopper.tma_load %A[%c0, %c0] to %stage signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<32x432xbf16>, !hopper.barrier<1>
  }
}

// Tests that the accumulator of a loop is kept while it is stored and packed, and that a consumer that is alone computes
// more in advance.

hopper.kernel @accumulated(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x128xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
  // expected-remark @below {{expects 116, at least 96}}
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %acc = hopper.uninitialized : !hopper.fragment<64x128xf32>
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x128xbf16>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc_k = %acc) -> (!hopper.fragment<64x128xf32>) : i32 {
      %next = hopper.wgmma AB %acc_k, %x, %y accumulate %true : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x128xbf16>
      scf.yield %next : !hopper.fragment<64x128xf32>
    }
    scf.for %slice = %c0 to %c2 step %c1 : i32 {
      %column = arith.muli %slice, %c64 : i32
      %slot = hopper.slot %staging[%slice] : !hopper.ring<2, 64x64xbf16>
      // expected-remark @below {{the most}}
      hopper.store_fragment %sum[%c0, %column] to %slot : !hopper.fragment<64x128xf32>, !hopper.shared<64x64xbf16>
    } {hopper.unroll}
  }
}

// Tests the gap beside an accumulator of 128 registers where another tile is alive, and the polynomial of the error
// function.

hopper.kernel @wide(%A: !tk.global<?x?xbf16>) {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  %b = hopper.alloc_ring "b" : !hopper.ring<1, 64x256xbf16>
  %c = hopper.alloc_ring "c" : !hopper.ring<1, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<1, 64x64xf32>
  // expected-remark @below {{expects 213, at least 192}}
  hopper.role consumer warpgroups 2 {
  ^bb0(%w: i32):
    %x = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    %y = hopper.slot %b[%c0] : !hopper.ring<1, 64x256xbf16>
    %z = hopper.slot %c[%c0] : !hopper.ring<1, 64x64xbf16>
    %slot = hopper.slot %staging[%c0] : !hopper.ring<1, 64x64xf32>
    %new = hopper.uninitialized : !hopper.fragment<64x256xf32>
    %wide = hopper.wgmma AB %new, %x, %y accumulate %true : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
    %begun = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %small = hopper.wgmma AB %begun, %x, %z accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    // expected-remark @below {{the most}}
    %smooth = hopper.map (%e = %small : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xf32> {
      %f = math.erf %e : f32
      tk.yield %f : f32
    }
    hopper.store_fragment %smooth[%c0, %c0] to %slot : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xf32>
    hopper.store_fragment %wide[%c0, %c0] to %slot : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xf32>
  }
}
