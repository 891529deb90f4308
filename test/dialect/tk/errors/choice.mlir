// RUN: %tk-opt %s --split-input-file --verify-diagnostics

// Tests that a choice is among several kernels.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
}
// expected-error @below {{a choice is among two kernels or more, this one has 1}}
tk.choice @c of [@k]

// -----

// Tests that a choice is among kernels that there are.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
}
// expected-error @below {{there is no kernel @l}}
tk.choice @c of [@k, @l]

// -----

// Tests that the kernels of a choice take the same arguments.

tk.kernel @k(%A: !tk.global<?x?xbf16>) {
}
tk.kernel @l(%A: !tk.global<?x?xf16>) {
}
// expected-error @below {{kernel @l takes other arguments than the first one}}
tk.choice @c of [@k, @l]
