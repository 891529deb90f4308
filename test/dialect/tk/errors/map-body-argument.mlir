// Tests that the body of a map gets elements of its operands.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<64x64xf32, register, row>
// expected-error @below {{body argument 0 is 'bf16', but holds 'f32'}}
%p = "tk.map"(%s) ({
^bb0(%x: bf16):
  %0 = arith.extf %x : bf16 to f32
  tk.yield %0 : f32
}) : (!tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row>
