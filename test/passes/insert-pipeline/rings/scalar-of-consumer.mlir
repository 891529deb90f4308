// Tests that the producer carries no scalar through its loops that only the consumers need, by way of several loops.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!x = !tk.tile<64x64xf32, register, row>
!C = !tk.global<?x64xf32>

// CHECK-LABEL: hopper.kernel @place
// CHECK: hopper.role producer
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{[^ ]+}}  : i32 {
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{[^ ]+}} iter_args(%[[ROW:.+]] = %{{.+}}) -> (i32)  : i32 {
// CHECK: hopper.tma_load %arg0[
// CHECK: hopper.role consumer
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %c0{{.*}}) -> (i32)
// CHECK: scf.for {{.+}} iter_args({{.+}}) -> (i32, i32)
tk.kernel @place(%A: !C {tk.name = "A"}, %C: !C {tk.name = "C"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  tk.grid (%m) in (%n) {
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32)  : i32 {
      %inner:2 = scf.for %j = %c0 to %n step %c1 iter_args(%place = %before, %row = %c1) -> (i32, i32) : i32 {
        %a = tk.load %A[%row, %c0] : !C -> !tk.tile<64x64xf32, shared> loc("a")
        %x = tk.read %a : !tk.tile<64x64xf32, shared> -> !x
        %at = arith.maxsi %place, %c0 : i32
        tk.store accumulate %C[%at, %c0], %x : !C, !x
        %next = arith.muli %row, %c2 : i32
        scf.yield %j, %next : i32, i32
      } {tk.pipeline = #tk.pipeline<stages = 0>}
      scf.yield %inner#0 : i32
    }
  }
}
