// Tests that a hint and a scope agree.

// RUN: %tk-opt %s --tk-distribute --verify-diagnostics

// expected-error @below {{the kernel asks for 3 compute warpgroups}}
tk.kernel @hint() attributes {consumers = 3 : i64} {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    // expected-note @below {{but its scope here has 2}}
    tk.each warpgroup of 2 (%w) {
    }
  }
}
