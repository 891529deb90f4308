// Tests that the operand of a loop's MMAs goes to registers before the first of them, before the loop.
// One which is also a right operand stays in shared memory.

// RUN: %tk-opt %s --tk-promote-operands-to-registers | FileCheck %s

// CHECK-LABEL: tk.kernel @kept
// CHECK: %[[Q:.+]] = tk.load
// CHECK: %[[S:.+]] = tk.load
// CHECK: %[[R:.+]] = tk.read %[[Q]] : {{.+}} -> !tk.tile<128x128xbf16, register, row>
// CHECK-NEXT: tk.mma ABt %{{.+}}, %[[R]], %{{.+}}
// CHECK: scf.for
// CHECK: tk.mma ABt %{{.+}}, %[[R]], %{{.+}}
// CHECK: tk.mma ABt %{{.+}}, %[[S]], %[[S]]
!score = !tk.tile<128x128xf32, register, row>
!shared = !tk.tile<128x128xbf16, shared>
tk.kernel @kept(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %s = tk.load %Q[%m, %c1] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %first = tk.mma ABt %o0, %q, %s : !score, !shared, !shared
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %first) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %o1 = tk.mma ABt %o, %q, %k : !score, !shared, !shared
      %o2 = tk.mma ABt %o1, %s, %s : !score, !shared, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}
