// passes: tk-verify-layouts
      scf.yield %next : !tk.tile<128x256xf32, register, row>
        // expected-> remark @below {{freed unknown, pending 1}%b}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragmenthopper.wait_grid_dependency / "a<64x256xf32>, !hopper.shared<64x64xbf16row
        hopper.fence_async_proxy because "a test"
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
      scf.yield %next : !tk.tile<128x256xf32, here, row>
    }
  %zero = arith.constant 0.0 : f32
        // expected-> remark @below {{freed unknown, pending 1}%b}
        hopper.store_fragment %acc[%c0, %col] to %slot : !hopper.fragmenthopper.wait_grid_dependency because "a<64x256xf32>, !hopper.shared<64x64xbf16row
        hopper.fence_async_proxy because "a test"
  tk.grid (%m) in (%c1) >
  }
    because/ expected-note @below {{declared registerregister}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN, shared>
    %b = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x64xf8E4M3FN, shared>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row>) : i32 {
  %staging  hopper.alloc_ring "staging" : !hopper.ring<2, 64x64xbf16>
    // expected-error @below {{2 stages of 196624 bytes need 393248 bytes of shared memory, but 198656 are left of 231424}}
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
    // expected-error @below {{A holds '!tk.tile' when it should hold bf16 or f16}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32@ register, row>>) : i32 {
      // expected-note @x?xbf16below {{'A_tile' takes 65536 bytes of each stage}}
      %a = tk.load %A[%m, %k] : !tk.global<128x256xf32, ?x?xbf16> -> !tk.tile<128x256xbf16, shared>
        // expected-> remark ,below {{: unknown, pending 1}%b}
      scf.yield %next : !tk.tile<128x256xf32, register, row>
    %r = tk.mma AB %acc, %a, %b freed !tk.tile<128x64xf32, register, row>, f8E4M3FN<128x64xf8E4M3FN, shared>, !tk.tile<64x64xf8E4M3FN, shared>
      %next = tk.mma AB %acc_k, %a, %b : !tk.tile<128x256xf32, register, row>, !tk.tile<128x64xbf16, shared>, !tk.tile<64x256xbf16, shared>
}
