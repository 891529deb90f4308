// Tests that the consumers keep what a loop carries, and write it to shared memory, and that all that leaves the iteration is
// the reducer's, two warpgroups: an MMA that reads the written tile, one that reads loads alone, the maps and the store. A block
// computes one tile then.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @state
// CHECK-SAME: consumers = 1
// CHECK-SAME: persistent = false
// CHECK-SAME: tk.reducers = 2 : i64
// CHECK: scf.for
// CHECK: %[[KEPT:.+]] = tk.read %{{.+}} -> !tk.tile<64x64xbf16, register, row>
// CHECK-NOT: tk.reducer
// CHECK: %[[WRITTEN:.+]] = tk.write %{{.+}} to %{{.+}} : !tk.tile<64x64xbf16, register, row>
// CHECK: tk.mma ABt %{{.+}}, %{{.+}}, %[[WRITTEN]] {{.*}}{tk.reducer}
// CHECK: tk.mma ABt {{.*}}{tk.reducer}
// CHECK: tk.map {{.*}}attributes {tk.reducer}
// CHECK: %[[AGAIN:.+]] = tk.read %{{.+}} {tk.reducer} : {{.*}} -> !tk.tile<64x64xbf16, register, row>
// CHECK: tk.mma AB %{{.+}}, %[[AGAIN]], %{{.+}} {tk.reducer}
// CHECK: tk.store {{.*}}{tk.reducer}
// CHECK: tk.mma AB %{{.+}}, %[[KEPT]], %{{[^{]+}} :
// CHECK: scf.yield
// CHECK-NOT: tk.reducer
tk.kernel @state(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
      %kept = tk.read %x : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
      %narrow = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %a : f32 to bf16
        tk.yield %0 : bf16
      }
      %written = tk.write %narrow to %past : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %y = tk.mma ABt %none, %x, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %s = tk.mma ABt %none, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %both = tk.map (%a = %y : !tk.tile<64x64xf32, register, row>, %b = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.addf %a, %b : f32
        tk.yield %0 : f32
      }
      %seen = tk.mma AB %both, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      tk.store %Y[%m, %c0], %seen : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
