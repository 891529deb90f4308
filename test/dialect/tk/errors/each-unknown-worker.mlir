// Tests that a scope is one of warpgroups or of warps.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{custom op 'tk.each' expected 'warpgroup' or 'warp', found 'thread'}}
tk.each thread of 4 (%w) {
}
