// Tests that the pages of a tile have as many rows each, whole swizzle patterns, and each all indices.

// RUN: %tk-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

%t, %z = "test.values"() : () -> (!tk.global<?x16x64xbf16>, i32)
// expected-error @below {{loads 32 rows of 3 pages, which should have as many each, a multiple of 8}}
%x = tk.load %t[%z, %z, %z, %z, %z, %z, %z, %z, %z] : !tk.global<?x16x64xbf16> -> !tk.tile<32x64xbf16, shared>

// -----

%t, %z = "test.values"() : () -> (!tk.global<?x64xbf16>, i32)
// expected-error @below {{a tensor of rank 2 needs as many indices, but 3 are given}}
%x = tk.load %t[%z, %z, %z] : !tk.global<?x64xbf16> -> !tk.tile<32x64xbf16, shared>
