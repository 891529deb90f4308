// Tests that an accumulator has the shape of the MMA.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%acc, %a = "test.values"() : () -> (!tk.tile<64x32xf32, register, row>, !tk.tile<64x64xbf16, shared>)
// expected-error @below {{the result is 64 x 64 but the accumulator is 64 x 32}}
%r = tk.mma AB %acc, %a, %a : !tk.tile<64x32xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
