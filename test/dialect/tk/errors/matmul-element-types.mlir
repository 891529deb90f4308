// Tests that the operands of an MMA have one element type.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%acc, %a, %b = "test.values"() : () -> (!tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xf16, shared>)
// expected-error @below {{A holds 'bf16' but B holds 'f16'}}
%r = tk.mma AB %acc, %a, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xf16, shared>
