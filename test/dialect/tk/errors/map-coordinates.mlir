// Tests that a map of a tile has two coordinates.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{has 0 operands and 1 body arguments; with coordinates there are 2, without 0}}
%p = tk.map () at (%r) -> !tk.tile<128x64xi32, register, row> {
  tk.yield %r : i32
}
