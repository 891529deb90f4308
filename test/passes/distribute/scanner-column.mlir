// Tests that a sum over rows in which all but one column is zero is a read of that column where scanner warps compute it, and stays a
// sum where a whole row is added.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @one_column
// CHECK: %[[TILE:.+]] = tk.load
// CHECK: tk.read_column %[[TILE]][%{{.+}}] {tk.scanner} : !tk.tile<64x16xf32, shared> -> !tk.vector<64xf32, register, column>
// CHECK-NOT: tk.reduce
// CHECK: tk.scan add {{.*}}{tk.scanner}
tk.kernel @one_column(%D: !tk.global<?x16xf32> {tk.name = "D"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %d = tk.load %D[%m, %c0] : !tk.global<?x16xf32> -> !tk.tile<64x16xf32, shared> loc("d")
      %all = tk.read %d : !tk.tile<64x16xf32, shared> -> !tk.tile<64x16xf32, register, row>
      %masked = tk.map (%x = %all : !tk.tile<64x16xf32, register, row>) at (%i, %j) -> !tk.tile<64x16xf32, register, row> {
        %place = arith.remsi %n, %c16 : i32
        %is = arith.cmpi eq, %j, %place : i32
        %kept = arith.select %is, %x, %zero : f32
        tk.yield %kept : f32
      }
      %steps = tk.reduce add rows %masked : !tk.tile<64x16xf32, register, row> -> !tk.vector<64xf32, register, column>
      %now = tk.scan add %steps : !tk.vector<64xf32, register, column> loc("now")
      %next = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %b = %now : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %more = arith.addf %a, %b : f32
        tk.yield %more : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}

// CHECK-LABEL: tk.kernel @all_columns
// CHECK: tk.reduce
// CHECK-NOT: tk.scanner
tk.kernel @all_columns(%D: !tk.global<?x16xf32> {tk.name = "D"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %d = tk.load %D[%m, %c0] : !tk.global<?x16xf32> -> !tk.tile<64x16xf32, shared> loc("d")
      %all = tk.read %d : !tk.tile<64x16xf32, shared> -> !tk.tile<64x16xf32, register, row>
      %steps = tk.reduce add rows %all : !tk.tile<64x16xf32, register, row> -> !tk.vector<64xf32, register, column>
      %now = tk.scan add %steps : !tk.vector<64xf32, register, column> loc("now")
      %next = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %b = %now : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %more = arith.addf %a, %b : f32
        tk.yield %more : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
