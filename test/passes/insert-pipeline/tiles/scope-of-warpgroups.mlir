// Tests that what differs between the warpgroups of a scope is loaded for each of them, and the rest once.
// The tile of what differs is twice as high; nobody shares rows. Where its parts follow one another in the tensor,
// as rows 64 (2 m + w) do, one copy brings them all.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!A = !tk.global<?x?xbf16>

// CHECK-LABEL: hopper.kernel @warpgroups
// CHECK: hopper.alloc_ring "q" : <2, 128x64xbf16>
// CHECK: hopper.alloc_ring "k" : <{{.+}}, 64x64xbf16>
// CHECK: hopper.role producer
// CHECK: hopper.expect_bytes {{.+}}, 16384
// CHECK: %[[BOTH:.+]] = hopper.stage {{.+}} : <2, 128x64xbf16>
// CHECK-NEXT: hopper.tma_load %arg0[{{.+}}] to %[[BOTH]]
// CHECK: hopper.expect_bytes {{.+}}, 16384
// CHECK: %[[FIRST:.+]] = hopper.rows {{.+}}, %c0{{.*}} : <128x64xbf16> -> <64x64xbf16>
// CHECK-NEXT: hopper.tma_load %arg0[{{.+}}] to %[[FIRST]]
// CHECK: %[[SECOND:.+]] = hopper.rows {{.+}}, %c64{{.*}} : <128x64xbf16> -> <64x64xbf16>
// CHECK-NEXT: hopper.tma_load %arg0[{{.+}}] to %[[SECOND]]
// CHECK: scf.for
// CHECK: hopper.expect_bytes {{.+}}, 8192
// CHECK: hopper.role consumer warpgroups 2 each warpgroup
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: %[[ROW:.+]] = arith.muli %[[W]], %c64
// CHECK: hopper.rows {{.+}}, %[[ROW]] : <128x64xbf16> -> <64x64xbf16>
// CHECK: hopper.wgmma ABt {{.+}} : <64x64xf32>, !hopper.shared<64x64xbf16>, <64x64xbf16>
tk.kernel @warpgroups(%Q: !A {tk.name = "Q"}, %C: !A {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    tk.each warpgroup of 2 (%w) {
      %m2 = arith.muli %m, %c2 : i32
      %at = arith.addi %m2, %w : i32
      %q = tk.load %Q[%at, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("q")
      %w2 = arith.muli %w, %c2 : i32
      %r0 = tk.load %Q[%w2, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("r")
      %r = tk.read %r0 : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      tk.store %C[%w2, %c0], %r : !A, !tk.tile<64x64xbf16, register, row>
      %t = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %s = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %t) -> (!tk.tile<64x64xf32, register, row>) : i32 {
        %b = tk.load %Q[%k, %c0] : !A -> !tk.tile<64x64xbf16, shared> loc("k")
        %next = tk.mma ABt %acc, %q, %b : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
        scf.yield %next : !tk.tile<64x64xf32, register, row>
      } {tk.pipeline = #tk.pipeline<stages = 0>}
      tk.store %C[%at, %c0], %s : !A, !tk.tile<64x64xf32, register, row>
    }
  }
}
