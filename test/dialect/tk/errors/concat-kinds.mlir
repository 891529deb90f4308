// Tests that a tile and a vector are not joined.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%a, %b = "test.values"() : () -> (!tk.tile<64x64xf32, register, row>, !tk.vector<64xf32, register, column>)
// expected-error @below {{joins parts of one kind, but operand 1 is '!tk.vector<64xf32, register, column>' and the result '!tk.tile<64x128xf32, register, row>'}}
%p = tk.concat columns %a, %b : !tk.tile<64x64xf32, register, row>, !tk.vector<64xf32, register, column> -> !tk.tile<64x128xf32, register, row>
