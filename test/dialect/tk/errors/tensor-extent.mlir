// Tests that a static extent is positive.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a static extent is positive, this is 0}}
"test.use"() : () -> !tk.global<0x64xf32>
