// Tests that a kernel returns nothing.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{a kernel returns nothing, this one returns 1 values}}
"tk.kernel"() ({
^bb0:
}) {sym_name = "k", function_type = () -> i32} : () -> ()
