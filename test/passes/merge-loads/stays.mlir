// Tests that a place is loaded again after a loop, and from a tensor that the kernel writes to.

// RUN: %tk-opt %s --tk-merge-loads | FileCheck %s

!in = !tk.global<?x?xbf16>
!shared = !tk.tile<64x64xbf16, shared>
!tile = !tk.tile<64x64xbf16, register, row>

// CHECK-LABEL: tk.kernel @around_a_loop
// CHECK: tk.load
// CHECK: scf.for
// CHECK: tk.load
// CHECK: }
// CHECK: tk.load
// CHECK-NOT: tk.load
tk.kernel @around_a_loop(%A: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%n) {
    %before = tk.load %A[%m, %c0] : !in -> !shared
    scf.for %k = %c0 to %n step %c1 : i32 {
      %inner = tk.load %A[%m, %k] : !in -> !shared
    }
    %after = tk.load %A[%m, %c0] : !in -> !shared
    %again = tk.load %A[%m, %c0] : !in -> !shared
  }
}

// CHECK-LABEL: tk.kernel @written
// CHECK-COUNT-2: tk.load
tk.kernel @written(%A: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    %a = tk.load %A[%m, %c0] : !in -> !shared
    %b = tk.load %A[%m, %c0] : !in -> !shared
    %r = tk.read %a : !shared -> !tile
    tk.store %A[%m, %c0], %r : !in, !tile
  }
}
