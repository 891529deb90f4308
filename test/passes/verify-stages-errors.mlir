// RUN: %tk-opt %s --tk-verify-stages --split-input-file --verify-diagnostics

// Tests that tile code that is left over is named.

tk.kernel @k(%C: !tk.global<?x?xbf16>) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    // expected-error @below {{'tk.fill' is left after tk-insert-pipeline}}
    %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
  }
}

// -----

// Tests that a hazard that is left over is shown with its cause.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  %staging = hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
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
        // expected-note @below {{this is still in flight}}
        // expected-error @below {{a hazard is left after tk-insert-waits}}
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

// -----

// Tests that every buffer has a place.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{the buffer has no offset after tk-allocate-shared}}
  %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that every ring has a swizzle.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{the ring has no swizzle after tk-allocate-shared}}
  %a = hopper.alloc_ring "a" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that buffers do not overlap.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-note @below {{it ends at 8192}}
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  // expected-error @below {{the buffer begins at 4096, where another one has not ended}}
  %b = hopper.alloc_ring "b" {offset = 4096 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that buffers end within the kernel's shared memory.

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 128 : i64, shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // expected-error @below {{the buffer ends at 24576, but the kernel has 16384 bytes of shared memory}}
  %a = hopper.alloc_ring "a" {offset = 16384 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that the roles take all threads.

// expected-error @below {{the kernel has 256 threads, but its roles need 128}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that roles which together ask for more registers than the block has are refused: they would wait forever.

// expected-error @below {{the roles ask for 520 registers per thread in all, but start with 504: setmaxnreg would wait forever}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 384 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  hopper.role producer warpgroups 1 registers 24 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 2 registers 248 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that both roles have registers.

// expected-error @below {{a role has no registers after tk-allocate-registers}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {threads = 256 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
  }
}

// -----

// Tests that a variable which would have to hold two values is refused.

hopper.kernel @k(%n: i32) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" {offset = 0 : i64, swizzle = 128 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %f = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %at = hopper.slot %a[%c0] : !hopper.ring<1, 64x64xbf16>
    // expected-error @below {{a tile overwrites a value that is still read after tk-assign-variables}}
    %r = hopper.wgmma ABt %f, %at, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
    hopper.store_fragment %f[%c0, %c0] to %at : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
  }
}
