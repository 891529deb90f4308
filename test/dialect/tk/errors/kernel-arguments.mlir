// Tests that a kernel's arguments are tensors and scalars.

// RUN: %tk-opt %s --verify-diagnostics

// expected-error @below {{argument 0 is neither a global tensor nor a scalar, but}}
tk.kernel @k(%t: !tk.tile<64x64xbf16, shared>) {
}
