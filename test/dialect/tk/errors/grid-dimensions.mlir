// Tests that a grid has four dimensions at most.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

%n = "test.value"() : () -> i32
// expected-error @below {{a grid has 1 to 4 dimensions, this one has 5}}
tk.grid (%a, %b, %c, %d, %e) in (%n, %n, %n, %n, %n) {
}
