// Tests that a block has one role of each kind.

// RUN: %tk-opt %s --tk-allocate-registers --verify-diagnostics

hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
  // expected-error @below {{a kernel has one producer role, this is its second}}
  hopper.role producer warpgroups 1 {
    %unused = arith.constant 0 : i32
  }
}
