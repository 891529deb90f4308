// Tests that shared operands of a warp's MMAs are read into registers in the layout that the form takes, in parts along K of
// which B has at most 64 registers a thread, and that other MMAs stay as they are.

// RUN: %tk-opt %s --tk-read-warp-operands | FileCheck %s

!acc = !tk.tile<16x64xf32, register, row>
!wide = !tk.tile<16x128xf32, register, row>

// CHECK-LABEL: tk.kernel @forms
tk.kernel @forms(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    tk.each warp of 4 (%w) {
      %acc = tk.fill %zero : !acc
      %wide = tk.fill %zero : !wide
      // CHECK: %[[A:.+]] = tk.load
      %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<16x64xbf16, shared>
      // CHECK: %[[B:.+]] = tk.load
      %b = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
      // CHECK: %[[W:.+]] = tk.load
      %wb = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x128xbf16, shared>

      // CHECK: %[[RA:.+]] = tk.read %[[A]] : {{.+}} -> !tk.tile<16x64xbf16, register, row>
      // CHECK: %[[RB:.+]] = tk.read %[[B]] : {{.+}} -> !tk.tile<64x64xbf16, register, row>
      // CHECK: %[[CB:.+]] = tk.swap_layout %[[RB]]
      // CHECK: tk.mma AB %{{.+}}, %[[RA]], %[[CB]]
      %1 = tk.mma AB %acc, %a, %b : !acc, !tk.tile<16x64xbf16, shared>, !tk.tile<64x64xbf16, shared>

      // CHECK: tk.read %[[A]]
      // CHECK: %[[RB:.+]] = tk.read %[[B]]
      // CHECK-NOT: swap_layout
      // CHECK: tk.mma ABt %{{.+}}, %{{.+}}, %[[RB]]
      %2 = tk.mma ABt %1, %a, %b : !acc, !tk.tile<16x64xbf16, shared>, !tk.tile<64x64xbf16, shared>

      // Two parts of 32: of the register operand it is a slice.
      // CHECK: %[[X:.+]] = tk.read %[[A]]
      %x = tk.read %a : !tk.tile<16x64xbf16, shared> -> !tk.tile<16x64xbf16, register, row>
      // CHECK: %[[X0:.+]] = tk.slice %[[X]][0, 0]
      // CHECK: tk.read %[[W]][%c0{{.*}}, %c0{{.*}}] : {{.+}} -> !tk.tile<32x128xbf16, register, row>
      // CHECK: %[[FIRST:.+]] = tk.mma AB %{{.+}}, %[[X0]], %{{.+}} : <16x128xf32, register, row>, <16x32xbf16, register, row>, <32x128xbf16, register, col>
      // CHECK: %[[X1:.+]] = tk.slice %[[X]][0, 32]
      // CHECK: tk.read %[[W]][%c1{{.*}}, %c0{{.*}}]
      // CHECK: tk.mma AB %[[FIRST]], %[[X1]]
      %3 = tk.mma AB %wide, %x, %wb : !wide, !tk.tile<16x64xbf16, register, row>, !tk.tile<64x128xbf16, shared>

      // What subtracts multiplies by the opposite.
      // CHECK: %[[RA:.+]] = tk.read %[[A]]
      // CHECK: %[[MINUS:.+]] = tk.map (%{{.+}} = %[[RA]]
      // CHECK: arith.negf
      // CHECK: tk.mma ABt %{{.+}}, %[[MINUS]], %{{.+}} : <16x64xf32, register, row>
      %4 = tk.mma ABt %2, %a, %b {subtracts} : !acc, !tk.tile<16x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      tk.store %A[%m, %c0], %4 : !tk.global<?x?xbf16>, !acc
      tk.store %A[%m, %c0], %3 : !tk.global<?x?xbf16>, !wide
    }
  }
}

// Operands in registers are whole, and A is the opposite of what it was.

// CHECK-LABEL: tk.kernel @registers
// CHECK: %[[X:.+]] = tk.read
// CHECK: %[[Y:.+]] = tk.swap_layout %[[X]]
// CHECK: %[[MINUS:.+]] = tk.map (%{{.+}} = %[[X]]
// CHECK: arith.negf
// CHECK: tk.mma AB %{{.+}}, %[[MINUS]], %[[Y]] : <16x16xf32, register, row>
tk.kernel @registers(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    tk.each warp of 4 (%w) {
      %s = tk.load %A[%m, %w] : !tk.global<?x?xbf16> -> !tk.tile<16x16xbf16, shared>
      %x = tk.read %s : !tk.tile<16x16xbf16, shared> -> !tk.tile<16x16xbf16, register, row>
      %y = tk.swap_layout %x : !tk.tile<16x16xbf16, register, row> -> !tk.tile<16x16xbf16, register, col>
      %acc = tk.fill %zero : !tk.tile<16x16xf32, register, row>
      %r = tk.mma AB %acc, %x, %y {subtracts} : !tk.tile<16x16xf32, register, row>, !tk.tile<16x16xbf16, register, row>, !tk.tile<16x16xbf16, register, col>
      tk.store %A[%m, %w], %r : !tk.global<?x?xbf16>, !tk.tile<16x16xf32, register, row>
    }
  }
}

// CHECK-LABEL: tk.kernel @warpgroups
// CHECK-NOT: tk.read
// CHECK: tk.mma AB %{{.+}}, %{{.+}}, %{{.+}} : <64x64xf32, register, row>, <64x64xbf16, shared>, <64x64xbf16, shared>
tk.kernel @warpgroups(%A: !tk.global<?x?xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %acc = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %a = tk.load %A[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %1 = tk.mma AB %acc, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
    tk.store %A[%m, %c0], %1 : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
