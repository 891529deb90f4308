// Tests a shared tile that all warpgroups have in common: there is one, each writes its rows, and all meet before
// an MMA takes the whole and before it is written again.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --tk-insert-waits | FileCheck %s

!part = !tk.tile<64x64xbf16, register, row>
!all = !tk.tile<128x64xbf16, shared>
!sum = !tk.tile<64x32xf32, register, row>

// CHECK-LABEL: hopper.kernel @common
// CHECK: %[[RING:.+]] = hopper.alloc_ring "all" {what = "written by the consumers: 1 tile"} : <1, 128x64xbf16>
// CHECK: hopper.role consumer warpgroups 2 each warpgroup
// CHECK: ^bb0(%[[W:.+]]: i32):
// CHECK: scf.for
// CHECK: %[[TILE:.+]] = hopper.slot %[[RING]][%c0
// CHECK: %[[FIRST:.+]] = arith.muli %[[W]], %c64
// CHECK: %[[OWN:.+]] = hopper.rows %[[TILE]], %[[FIRST]] : <128x64xbf16> -> <64x64xbf16>
// CHECK: hopper.sync_consumers because "all consumers have read the old content of all"
// CHECK: hopper.store_fragment %{{.+}} to %[[OWN]]
// CHECK: hopper.fence_async_proxy
// CHECK: hopper.sync_consumers because "all consumers have written all"
// CHECK: hopper.wgmma AtB %{{.+}}, %[[TILE]], %{{.+}} : <64x32xf32>, !hopper.shared<128x64xbf16>, <128x32xbf16>
tk.kernel @common(%A: !tk.global<?x64xbf16> {tk.name = "A"}, %C: !tk.global<?x?xf32> {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    tk.each warpgroup of 2 (%w) {
      %k = tk.load %A[%m, %c0] : !tk.global<?x64xbf16> -> !all loc("k")
      %fresh = tk.alloc common : !all loc("all")
      scf.for %j = %c0 to %n step %c1 : i32 {
        %x = tk.read %k[%w, %c0] : !all -> !part
        %all = tk.write %x to %fresh[%w, %c0] : !part, !all
        %first = arith.muli %w, %c32 : i32
        %b = tk.slice %k[0, 0] plus(%c0, %first) : !all -> !tk.tile<128x32xbf16, shared>
        %f = tk.fill %zero : !sum
        %s = tk.mma AtB %f, %all, %b : !sum, !all, !tk.tile<128x32xbf16, shared>
        tk.store accumulate %C[%j, %w], %s : !tk.global<?x?xf32>, !sum
      }
    }
  }
}
