// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// Tests that parts of tensors are read as they are printed.

// CHECK-LABEL: tk.kernel @tensors
// CHECK: tk.part %arg1[%{{.+}}, %{{.+}}] along 0 : <?x64xbf16> -> <?x64xbf16>
tk.kernel @tensors(%first: i32, %X: !tk.global<?x64xbf16>) {
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %x = tk.part %X[%first, %first] along 0 : <?x64xbf16> -> <?x64xbf16>
    %t = tk.load %x[%m, %m] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared>
    tk.store %x[%m, %m], %t : !tk.global<?x64xbf16>, !tk.tile<64x64xbf16, shared>
  }
}

// CHECK-LABEL: hopper.kernel @maps
// CHECK: %[[MAP:.+]] = hopper.tensor_map
// CHECK: hopper.part_map %[[MAP]][%{{.+}}, %{{.+}}]
hopper.kernel @maps(%X: !tk.global<?x64xbf16>) {
  %c1 = arith.constant 1 : i32
  %map = hopper.tensor_map %X box [64, 64] swizzle 128 : !tk.global<?x64xbf16>
  %part = hopper.part_map %map[%c1, %c1]
}
