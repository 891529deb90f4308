// Tests that swapping the layout of a tile gives the other one.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a = "test.tile"() : () -> !tk.tile<64x64xbf16, register, row>
// expected-error @below {{turns '!tk.tile<64x64xbf16, register, row>' into '!tk.tile<64x64xbf16, register, col>', not into '!tk.tile<64x64xbf16, register, row>'}}
%p = tk.swap_layout %a : !tk.tile<64x64xbf16, register, row> -> !tk.tile<64x64xbf16, register, row>
