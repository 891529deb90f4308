// What elementwise code cannot be spelled is an error at its place.
// RUN: %tk-translate --hopper-to-cuda --split-input-file --verify-diagnostics %s | FileCheck %s --allow-empty
// CHECK-NOT: {{.}}

hopper.kernel @errors(%x: f32) attributes {threads = 128 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    %s = hopper.map () -> !hopper.fragment<64x64xbf16> {
      %0 = arith.truncf %x : f32 to bf16
      tk.yield %0 : bf16
    }
    %t = hopper.map (%e = %s : !hopper.fragment<64x64xbf16>) -> !hopper.fragment<64x64xbf16> {
      // expected-error @below {{computes in fewer than 32 bits; widen the operands and round the result}}
      %0 = arith.addf %e, %e : bf16
      tk.yield %0 : bf16
    }
    // expected-error @below {{has an element type without a spelling in CUDA}}
    %d = hopper.map (%e = %s : !hopper.fragment<64x64xbf16>) -> !hopper.fragment<64x64xf64> {
      // expected-error @below {{has no spelling as a scalar expression in CUDA}}
      %0 = arith.extf %e : bf16 to f64
      tk.yield %0 : f64
    }
  }
}

// -----
hopper.kernel @producer(%x: f32) attributes {threads = 256 : i64} {
  hopper.role producer warpgroups 1 registers 40 {
    // expected-error @below {{computes with register tiles, which only a consumer has}}
    %s = hopper.map () at (%r, %c) -> !hopper.fragment<64x64xf32> {
      tk.yield %x : f32
    }
  }
}
