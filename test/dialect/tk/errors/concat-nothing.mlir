// Tests that something is joined.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{joins nothing: it needs at least one operand}}
%p = "tk.concat"() <{along = 1 : i32}> : () -> !tk.tile<64x64xf32, register, row>
