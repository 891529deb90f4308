// Tests that loads of which a stack is made become one with all places, where the last one was, and those that read one of them
// read a part of it.

// RUN: %tk-opt %s --tk-stack-loads --cse | FileCheck %s

!tile = !tk.tile<64x64xbf16, shared>
!all = !tk.tile<128x64xbf16, shared>
!acc = !tk.tile<64x64xf32, register, row>

// CHECK-LABEL: tk.kernel @joined
// CHECK: tk.each warpgroup of 2 (%[[W:.+]])
// CHECK-NOT: tk.load
// CHECK: arith.muli
// CHECK-NEXT: %[[ALL:.+]] = tk.load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] : <?x64xbf16> -> !tk.tile<128x64xbf16, shared>
// CHECK: %[[FIRST:.+]] = tk.slice %[[ALL]][0, 0] : {{.*}} -> !tk.tile<64x64xbf16, shared>
// CHECK: %[[SECOND:.+]] = tk.slice %[[ALL]][64, 0] : {{.*}} -> !tk.tile<64x64xbf16, shared>
// CHECK: %[[OWN:.+]] = tk.slice %[[ALL]][0, 0] plus(%{{.+}}, %{{.+}})
// CHECK: tk.mma AB %{{.+}}, %[[OWN]], %[[FIRST]]
// CHECK: %[[OTHER:.+]] = tk.slice %[[ALL]][0, 0] plus(%{{.+}}, %{{.+}})
// CHECK: tk.mma AB %{{.+}}, %[[OTHER]], %[[SECOND]]
// CHECK-NOT: tk.stack
tk.kernel @joined(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %C: !tk.global<?x?xf32> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c64) {
    tk.each warpgroup of 2 (%w) {
      %x = tk.load %A[%m, %c0] : <?x64xbf16> -> !tile
      %next = arith.muli %m, %c64 : i32
      %y = tk.load %A[%next, %c0] : <?x64xbf16> -> !tile
      %s = tk.fill %zero : !acc
      %all = tk.stack %x, %y : !tile, !tile -> !all
      %row = arith.muli %w, %c64 : i32
      %own = tk.slice %all[0, 0] plus(%row, %c0) : !all -> !tile
      %s1 = tk.mma AB %s, %own, %x : !acc, !tile, !tile
      %again = tk.stack %x, %y : !tile, !tile -> !all
      %v = arith.subi %c1, %w : i32
      %otherRow = arith.muli %v, %c64 : i32
      %other = tk.slice %again[0, 0] plus(%otherRow, %c0) : !all -> !tile
      %s2 = tk.mma AB %s1, %other, %y : !acc, !tile, !tile
      tk.store %C[%w, %c0], %s2 : !tk.global<?x?xf32>, !acc
    }
  }
}
