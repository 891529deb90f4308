// Tests that a tile's layout is 'row' or 'col'.

// RUN: %tk-opt %s -allow-unregistered-dialect -verify-diagnostics

// expected-error @below {{expected 'row' or 'col', found 'diagonal'}}
"test.use"() : () -> !tk.tile<64x64xf32, register, diagonal>
