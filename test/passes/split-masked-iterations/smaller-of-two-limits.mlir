// Tests a limit that is the smaller of two, one of which grows with the row.

// RUN: %tk-opt %s --tk-split-masked-iterations --canonicalize --cse | FileCheck %s

!score = !tk.tile<128x128xf32, register, row>

// CHECK-LABEL: tk.kernel @smaller
// CHECK: %[[LAST:.+]] = arith.addi %{{.+}}, %c127
// CHECK: %[[LIMIT:.+]] = arith.minsi
// CHECK: %[[MASKED:.+]] = arith.cmpi sge, %[[LAST]], %[[LIMIT]]
// CHECK: scf.if %[[MASKED]]
tk.kernel @smaller(%O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %t = tk.fill %zero : !score
    scf.for %j = %c0 to %n step %c1 : i32 {
      %masked = tk.map (%x = %t : !score) at (%r, %c) -> !score {
        %0 = arith.muli %j, %c128 : i32
        %1 = arith.addi %0, %c : i32
        %2 = arith.muli %m, %c128 : i32
        %3 = arith.addi %2, %r : i32
        %4 = arith.minsi %n, %3 : i32
        %5 = arith.cmpi slt, %1, %4 : i32
        %6 = arith.select %5, %x, %zero : f32
        tk.yield %6 : f32
      }
      tk.store %O[%m, %c0], %masked : !tk.global<?x128xbf16>, !score
    }
  }
}
