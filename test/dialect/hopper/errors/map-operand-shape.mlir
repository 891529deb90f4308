// Tests that an operand of a map has the shape of its result.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !hopper.fragment<64x64xf32>
// expected-error @below {{operand 0 is 64 x 64, but the result is 64 x 128}}
%p = hopper.map (%x = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x128xf32> {
  tk.yield %x : f32
}
