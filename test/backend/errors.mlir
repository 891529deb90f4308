// What cannot be spelled is an error at its place. All errors of a kernel are reported, and no text is printed.
//
// RUN: %tk-translate --hopper-to-cuda --split-input-file --verify-diagnostics %s | FileCheck %s --allow-empty
// CHECK-NOT: {{.}}

hopper.kernel @spelling(%n: i32, %x: i64) attributes {threads = 128 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %c1 = arith.constant 1 : i32
    // expected-error @below {{'arith.divui' op has no spelling as a scalar expression in CUDA}}
    %a = arith.divui %n, %c1 : i32
    scf.for %i = %a to %n step %c1 : i32 {
    }
    // expected-error @below {{'scf.execute_region' op has no spelling in CUDA}}
    scf.execute_region {
      scf.yield
    }
  }
}

// -----

// expected-error @below {{'hopper.kernel' op has no number of threads yet; run tk-allocate-registers first}}
hopper.kernel @unfinished(%A: !tk.global<?x?xbf16>) attributes {threads = 0 : i64} {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{'hopper.alloc_ring' op has no offset yet; run tk-allocate-shared first}}
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{'hopper.alloc_barrier' op has offset 4, which is not a multiple of 8}}
  %full = hopper.alloc_barrier "full" arrivals 1 {offset = 4 : i64} : !hopper.barrier<1>
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    %s = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{'hopper.tma_load' op copies a tensor without a tensor map; run tk-legalize-for-emission first}}
    hopper.tma_load %A[%c0, %c0] to %s signals %full[%fill] : !tk.global<?x?xbf16>, !hopper.shared<64x64xbf16>, !hopper.barrier<1>
  }
}

// -----

hopper.kernel @swizzle() attributes {threads = 128 : i64} {
  // expected-error @below {{'hopper.alloc_ring' op has a swizzle of 64 bytes, but the runtime stores rows of 128 bytes with 128}}
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{'hopper.alloc_ring' op has an element type without a spelling in CUDA}}
  %b = hopper.alloc_ring "b" {offset = 8192 : i64, swizzle = 64 : i64} : !hopper.ring<1, 64x64xf64>
}

// -----

// expected-error @below {{'hopper.kernel' op has a parameter 'argument' of a type that has no spelling in CUDA}}
hopper.kernel @scalars(%x: i7) attributes {threads = 128 : i64} {
}

// expected-error @below {{'hopper.kernel' op has a tensor 'T' of elements that have no spelling in CUDA: 'f64'}}
hopper.kernel @tensors(%T: !tk.global<?xf64> {tk.name = "T"}) attributes {threads = 128 : i64} {
}

// -----

hopper.kernel @threads(%C: !tk.global<?x?xbf16>) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  %empty = hopper.alloc_barrier "empty" arrivals 1 {offset = 8192 : i64} : !hopper.barrier<1>
  hopper.role producer warpgroups 1 {
    %fill = hopper.cursor "fill" : !hopper.cursor<1>
    // expected-error @below {{'hopper.arrive' op needs whole warps, but a producer is one thread}}
    hopper.arrive %empty[%fill] : !hopper.barrier<1>
    // expected-error @below {{'hopper.sync_warpgroup' op needs the whole warpgroup, which only a consumer is}}
    hopper.sync_warpgroup because "why"
    %u = hopper.uninitialized : !hopper.fragment<64x64xf32>
    %s = hopper.stage %a[%fill] : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{'hopper.wgmma' op needs a whole warpgroup, which only a consumer is}}
    %r = hopper.wgmma AB %u, %s, %s accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
  }
}

// -----

hopper.kernel @overwritten(%n: i32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %u = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %s = hopper.slot %a[%c0] {hopper.tile_name = ""} : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{'hopper.wgmma' op overwrites a register tile that is still needed: run tk-assign-variables first}}
    %r = hopper.wgmma AB %u, %s, %s accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.store_fragment %u[%c0, %c0] to %s : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    %v = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error @below {{'hopper.wgmma' op overwrites a register tile that is still needed: run tk-assign-variables first}}
      %w = hopper.wgmma AB %v, %s, %s accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    }
    %x = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("x")
    // expected-error @below {{'scf.for' op overwrites a register tile that is still needed}}
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (!hopper.fragment<64x64xf32>) : i32 {
      // expected-error @below {{'hopper.fill' op overwrites a register tile that is still needed}}
      %start = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
      // expected-error @below {{'hopper.wgmma' op overwrites a register tile that is still needed}}
      %z = hopper.wgmma AB %start, %s, %s accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      scf.yield %z : !hopper.fragment<64x64xf32>
    }
    hopper.store_fragment %x[%c0, %c0] to %s : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}

// -----

// Tests that a kernel without a number of threads is refused, also where a role says its registers.

// expected-error @below {{'hopper.kernel' op has no number of threads yet; run tk-allocate-registers first}}
hopper.kernel @unallocated(%n: i32) {
  hopper.role producer warpgroups 1 registers 40 {
  }
}

// -----

// Tests that a lone warpgroup cannot ping-pong with another.
hopper.kernel @lone_pingpong() attributes {threads = 128 : i64, shared_bytes = 16 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    // expected-error @below {{needs several consumer warpgroups}}
    hopper.pingpong_acquire because "mine"
  }
}
