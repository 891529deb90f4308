// Tests loops that keep one role for what they carry and what leaves the iteration.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// A reducer that computes every second iteration could not count.
// CHECK-LABEL: tk.kernel @counts
// CHECK-NOT: tk.reducer
tk.kernel @counts(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %past = tk.alloc : !tk.tile<64x64xbf16, shared> loc("past")
    %count = arith.constant 7 : i32
    %sum:2 = scf.for %m = %c0 to %c4 step %c1 iter_args(%state = %none, %i = %count) -> (!tk.tile<64x64xf32, register, row>, i32) : i32 {
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
      %more = arith.addi %i, %m : i32
      tk.store %Y[%m, %more], %seen : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next, %more : !tk.tile<64x64xf32, register, row>, i32
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum#0 : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// Iterations store to one place, and the last one must be the last.
// CHECK-LABEL: tk.kernel @one_place
// CHECK-NOT: tk.reducer
tk.kernel @one_place(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
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
      tk.store %Y[%n, %c0], %seen : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
      %next = tk.mma AB %state, %kept, %x : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// The outputs use the state in registers.
// CHECK-LABEL: tk.kernel @in_registers
// CHECK-NOT: tk.reducer
tk.kernel @in_registers(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
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
      %both = tk.map (%a = %state : !tk.tile<64x64xf32, register, row>, %b = %s : !tk.tile<64x64xf32, register, row>) -> !tk.tile<64x64xf32, register, row> {
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

// The state, too, needs what was written to shared memory.
// CHECK-LABEL: tk.kernel @read_again
// CHECK-NOT: tk.reducer
tk.kernel @read_again(%X: !tk.global<?x64xbf16> {tk.name = "X"}, %Y: !tk.global<?x64xf32> {tk.name = "Y"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
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
      %next = tk.mma AB %state, %kept, %written : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, register, row>, !tk.tile<64x64xbf16, shared>
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
