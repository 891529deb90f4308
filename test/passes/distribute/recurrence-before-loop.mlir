// Tests that the outputs make what they need from before the loop for themselves: a read of a load, and maps of it. What they
// cannot make, a running sum, keeps one role.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @factors
// CHECK-SAME: tk.reducers = 2 : i64
// CHECK: %[[LOAD:.+]] = tk.load {{.*}}-> !tk.vector<64xf32, shared>
// CHECK-NOT: tk.read
// CHECK: scf.for
// CHECK: %[[READ:.+]] = tk.read %[[LOAD]] {tk.reducer}
// CHECK: %[[POWER:.+]] = tk.map (%{{.+}} = %[[READ]] {{.*}}attributes {tk.reducer}
// CHECK: tk.map (%{{.+}}, %{{.+}} = %[[POWER]] {{.*}}attributes {tk.reducer}
// CHECK: tk.store {{.*}}{tk.reducer}
tk.kernel @factors(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %V: !tk.global<?xf32> {tk.name = "V"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %loaded = tk.load %V[%n] : !tk.global<?xf32> -> !tk.vector<64xf32, shared>
    %read = tk.read %loaded : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
    %factors = tk.map (%a = %read : !tk.vector<64xf32, register, row>) -> !tk.vector<64xf32, register, row> {
      %0 = math.exp2 %a : f32
      tk.yield %0 : f32
    }
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
      %narrow = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %a : f32 to bf16
        tk.yield %0 : bf16
      }
      %written = tk.write %narrow to %past : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %y = tk.mma ABt %none, %x, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %scaled = tk.map (%a = %y : !tk.tile<64x64xf32, register, row>, %b = %factors : !tk.vector<64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.mulf %a, %b : f32
        tk.yield %0 : f32
      }
      tk.store %Y[%m, %c0], %scaled : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// CHECK-LABEL: tk.kernel @running_sums
// CHECK-NOT: tk.reducer
tk.kernel @running_sums(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %V: !tk.global<?xf32> {tk.name = "V"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %loaded = tk.load %V[%n] : !tk.global<?xf32> -> !tk.vector<64xf32, shared>
    %read = tk.read %loaded : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
    %factors = tk.scan add %read : !tk.vector<64xf32, register, row>
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %x = tk.load %X[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("x")
      %narrow = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xbf16, register, row> {
        %0 = arith.truncf %a : f32 to bf16
        tk.yield %0 : bf16
      }
      %written = tk.write %narrow to %past : !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      %y = tk.mma ABt %none, %x, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %scaled = tk.map (%a = %y : !tk.tile<64x64xf32, register, row>, %b = %factors : !tk.vector<64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.mulf %a, %b : f32
        tk.yield %0 : f32
      }
      tk.store %Y[%m, %c0], %scaled : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %x, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
