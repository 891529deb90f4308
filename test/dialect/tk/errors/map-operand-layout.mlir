// Tests that an operand of a map has the layout of its result.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%s = "test.tile"() : () -> !tk.tile<128x64xf32, register, col>
// expected-error @below {{their layouts differ; tk.swap_layout changes the operand's}}
%p = tk.map (%x = %s : !tk.tile<128x64xf32, register, col>) -> !tk.tile<128x64xf32, register, row> {
  tk.yield %x : f32
}
