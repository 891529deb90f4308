// Tests that points whose tiles nobody shares are visited in the order in which these lie in memory, and other grids as the user
// listed their dimensions.

// RUN: %tk-opt %s --tk-order-grid | FileCheck %s

!matrix = !tk.global<?x?xbf16>
!shared = !tk.tile<64x64xbf16, shared>
!tile = !tk.tile<64x64xbf16, register, row>

// Rows of tiles come first, and what counts rows before that.
// CHECK-LABEL: tk.kernel @columns_first
// CHECK: tk.grid (%[[N:.+]], %[[M:.+]], %[[H:.+]]) in (%arg3, %arg2, %arg4)
// CHECK: %[[ROW:.+]] = arith.muli %[[M]],
// CHECK: tk.load %arg0[%[[H]], %[[ROW]], %[[N]]]
// CHECK: tk.store %arg1[%[[H]], %[[ROW]], %[[N]]]
tk.kernel @columns_first(%X: !tk.global<?x?x?xbf16>, %Y: !tk.global<?x?x?xbf16>, %rows: i32, %cols: i32, %heads: i32) {
  %c2 = arith.constant 2 : i32
  tk.grid (%m, %n, %h) in (%rows, %cols, %heads) {
    %row = arith.muli %m, %c2 : i32
    %x = tk.load %X[%h, %row, %n] : !tk.global<?x?x?xbf16> -> !shared
    %y = tk.read %x : !shared -> !tile
    tk.store %Y[%h, %row, %n], %y : !tk.global<?x?x?xbf16>, !tile
  }
}

// Vectors and sums say nothing.
// CHECK-LABEL: tk.kernel @sums
// CHECK: tk.grid (%[[N:.+]], %[[M:.+]]) in (%arg3, %arg2)
tk.kernel @sums(%X: !matrix, %Y: !tk.global<?xbf16>, %rows: i32, %cols: i32) {
  tk.grid (%m, %n) in (%rows, %cols) {
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %y = tk.read %x : !shared -> !tile
    %sums = tk.reduce add columns %y : !tile -> !tk.vector<64xbf16, register, row>
    tk.store accumulate %Y[%n], %sums : !tk.global<?xbf16>, !tk.vector<64xbf16, register, row>
  }
}

// A tile that several points load should come again soon.
// CHECK-LABEL: tk.kernel @shared_tile
// CHECK: tk.grid (%{{.+}}, %{{.+}}) in (%arg3, %arg4)
tk.kernel @shared_tile(%X: !matrix, %W: !matrix, %Y: !matrix, %rows: i32, %cols: i32) {
  tk.grid (%m, %n) in (%rows, %cols) {
    %w = tk.load %W[%m, %m] : !matrix -> !shared
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %y = tk.read %x : !shared -> !tile
    tk.store %Y[%m, %n], %y : !matrix, !tile
  }
}

// Neighbours in two tiles of a tensor, too.
// CHECK-LABEL: tk.kernel @neighbours
// CHECK: tk.grid (%{{.+}}, %{{.+}}) in (%arg2, %arg3)
tk.kernel @neighbours(%X: !matrix, %Y: !matrix, %rows: i32, %cols: i32) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m, %n) in (%rows, %cols) {
    %next = arith.addi %m, %c1 : i32
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %below = tk.load %X[%next, %n] : !matrix -> !shared
    %y = tk.read %x : !shared -> !tile
    tk.store %Y[%m, %n], %y : !matrix, !tile
  }
}

// What is loaded by rows is stored by columns.
// CHECK-LABEL: tk.kernel @transposed
// CHECK: tk.grid (%{{.+}}, %{{.+}}) in (%arg2, %arg3)
tk.kernel @transposed(%X: !matrix, %Y: !matrix, %rows: i32, %cols: i32) {
  tk.grid (%m, %n) in (%rows, %cols) {
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %y = tk.read %x : !shared -> !tile
    tk.store %Y[%n, %m], %y : !matrix, !tile
  }
}

// CHECK-LABEL: tk.kernel @hints
// CHECK: tk.grid (%{{.+}}, %{{.+}}) in (%arg2, %arg3) swizzle 4
tk.kernel @hints(%X: !matrix, %Y: !matrix, %rows: i32, %cols: i32) {
  tk.grid (%m, %n) in (%rows, %cols) swizzle 4 {
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %y = tk.read %x : !shared -> !tile
    tk.store %Y[%m, %n], %y : !matrix, !tile
  }
}

// CHECK-LABEL: tk.kernel @matmuls
// CHECK: tk.grid (%{{.+}}, %{{.+}}) in (%arg2, %arg3)
tk.kernel @matmuls(%X: !matrix, %Y: !matrix, %rows: i32, %cols: i32) {
  %zero = arith.constant 0.0 : f32
  tk.grid (%m, %n) in (%rows, %cols) {
    %x = tk.load %X[%m, %n] : !matrix -> !shared
    %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %y = tk.mma AB %acc, %x, %x : !tk.tile<64x64xf32, register, row>, !shared, !shared
    tk.store %Y[%m, %n], %y : !matrix, !tk.tile<64x64xf32, register, row>
  }
}
