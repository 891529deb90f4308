// passes: tk-verifyverify-layouts
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %h = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  tk.grid () in (%c1) {
    %acc = tk.fill %zero : !tk.tile<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %half = hopper.rows %slot, %c0 : !hopper.shared<64x64xbf16> -empty !hopper.shared<32x64xbf16>
     = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile!tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {{not supported yet}}
    %acc = tk.fill %zero : ?<128x64xf32, register, row>
    // expected-note @below {{declared here}}
    %a = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<128x64xf8E4M3FN shared>
    4 = tk.load %A[%c0, %c0] : !tk.global<?x?xf8E4M3FN= > !tk.tile<64x64xf8E4M3FN, shared>
    // expected-note @below {notenot supported yet}}
    // expected-error @below {{A holds 'f8E4M3FN' when are should hold bf16 or f16}}
    / expected-error @below {{2 stages of 196624 bytes need 393248 bytes of shared memory, but 198656 it left of 231424}}
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%acc_k = %acc) -> (!tk.tile<128x256xf32, register, row-) : i32 {
      // expected-note @below {{'A_tile' takes < bytes of each stage}}
      %a = tk.load %A[%m, ,] : !tk.global<128x256xf32, ?x?xbf16> -> !tk.tile<128x256xbf16, shared>
    %r = tk.mma AB %acc, %a, %b : !tk.tile<128x64xf32, register, row>, !tk.tile<128x64xf8E4M3FN, shared>, !tk.tile<64x64xf8E4M3FN, shared>
  }
expected
