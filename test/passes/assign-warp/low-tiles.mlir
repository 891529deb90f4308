// Tests that a kernel of register tiles of less than 64 rows is one warp's, whose stores alone are done, and that kernels with a
// scope, or with higher tiles, stay as they are.

// RUN: %tk-opt %s --tk-assign-warp | FileCheck %s

!in = !tk.global<?x?xbf16>
!shared = !tk.tile<16x64xbf16, shared>
!low = !tk.tile<16x64xbf16, register, row>
!high = !tk.tile<64x64xbf16, register, row>

// CHECK-LABEL: tk.kernel @low
// CHECK: tk.grid
// CHECK: tk.each warp of 4 (%[[WARP:.+]]) attributes {alone} {
// CHECK: %[[FIRST:.+]] = arith.cmpi slt, %[[WARP]], %c1
// CHECK: tk.read
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: tk.store
// CHECK-NEXT: }
tk.kernel @low(%A: !in, %B: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    %s = tk.load %A[%m, %c0] : !in -> !shared
    %x = tk.read %s : !shared -> !low
    tk.store %B[%m, %c0], %x : !in, !low
  }
}

// A shared tile that is stored goes through registers, and rows are scattered from them.

// CHECK-LABEL: tk.kernel @copied
// CHECK: tk.each warp of 4
// CHECK: scf.if
// CHECK-NEXT: tk.store
// CHECK: scf.if
// CHECK-NEXT: tk.scatter
tk.kernel @copied(%A: !in, %B: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  %rows = tk.fill %c0 : !tk.vector<16xi32, register, column>
  tk.grid (%m) in (%n) {
    %s = tk.load %A[%m, %c0] : !in -> !shared
    tk.store %B[%m, %c0], %s : !in, !shared
    %x = tk.read %s : !shared -> !low
    tk.scatter %B[%c0, %c0], %x by %rows : !in, !low, !tk.vector<16xi32, register, column>
  }
}

// CHECK-LABEL: tk.kernel @high
// CHECK-NOT: tk.each
tk.kernel @high(%A: !in, %B: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    %s = tk.load %A[%m, %c0] : !in -> !tk.tile<64x64xbf16, shared>
    %x = tk.read %s : !tk.tile<64x64xbf16, shared> -> !high
    tk.store %B[%m, %c0], %x : !in, !high
    %t = tk.load %A[%m, %c0] : !in -> !shared
    %y = tk.read %t : !shared -> !low
  }
}

// CHECK-LABEL: tk.kernel @scope
// CHECK: tk.each warp of 8
// CHECK-NOT: scf.if
tk.kernel @scope(%A: !in, %B: !in, %n: i32) {
  %c0 = arith.constant 0 : i32
  tk.grid (%m) in (%n) {
    tk.each warp of 8 (%w) {
      %s = tk.load %A[%w, %c0] : !in -> !shared
      %x = tk.read %s : !shared -> !low
      tk.store %B[%w, %c0], %x : !in, !low
    }
  }
}
