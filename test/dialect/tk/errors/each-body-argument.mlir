// Tests that a scope numbers its warps.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{has one body argument, the i32 number of the warp}}
"tk.each"() <{count = 4 : i64, worker = 1 : i32}> ({
^bb0:
}) : () -> ()
