// Tests the order of attention's steady state: scores, output, elementwise work, rescaled output, rounded operand.
// The scores are those of the next iteration. The first step stands before the loop, the last MMA after it. Loads
// stand where they are used first, and those of one tensor share a ring.

// RUN: %tk-opt %s --tk-overlap-mmas --canonicalize --cse | FileCheck %s

// CHECK-LABEL: tk.kernel @attention
// CHECK: tk.load %[[K:arg1]]{{.*}} {ring = 0 : i64}
// CHECK: tk.mma ABt
// CHECK-NOT: tk.load
// CHECK: tk.reduce max rows
// CHECK: %[[P0:.+]] = tk.map {{.*}}xbf16, register, row>
// CHECK: %[[END:.+]] = arith.subi
// CHECK: %[[R:.+]]:4 = scf.for %[[J:.+]] = %c0{{.*}} to %[[END]] {{.*}} iter_args(%[[BEST:.+]] = %{{.+}}, %[[TOTAL:.+]] = %{{.+}}, %[[O:.+]] = %{{.+}}, %[[P:.+]] = %[[P0]])
// CHECK: %[[NEXT:.+]] = arith.addi %[[J]]
// CHECK: tk.load %[[K]][{{.*}}%[[NEXT]]{{.*}}] {ring = 0 : i64}
// CHECK-NEXT: %[[S:.+]] = tk.mma ABt
// CHECK-NEXT: %[[V:.+]] = tk.load %arg2[{{.*}}%[[J]]{{.*}}] {ring = 1 : i64}
// CHECK-NEXT: %[[PV:.+]] = tk.mma AB %[[O]], %[[P]], %[[V]]
// CHECK-NEXT: tk.reduce max rows %[[S]]
// CHECK: %[[EXP:.+]] = tk.map (%{{.+}} = %[[S]]
// CHECK: math.exp2
// CHECK: tk.reduce add rows %[[EXP]]
// CHECK: %[[SCALED:.+]] = tk.map (%{{.+}} = %[[PV]]
// CHECK: %[[NEXTP:.+]] = tk.map (%{{.+}} = %[[EXP]]
// CHECK: scf.yield %{{.+}}, %{{.+}}, %[[SCALED]], %[[NEXTP]]
// CHECK: tk.pipeline = #tk.pipeline<stages = 0>
// CHECK: tk.load %arg2{{.*}} {ring = 1 : i64}
// CHECK: tk.mma AB %[[R]]#2, %[[R]]#3
// CHECK-NOT: scf.if

!score = !tk.tile<128x128xf32, register, row>
!column = !tk.vector<128xf32, register, column>
!shared = !tk.tile<128x128xbf16, shared>

tk.kernel @attention(%Q: !tk.global<?x128xbf16> {tk.name = "Q"}, %K: !tk.global<?x128xbf16> {tk.name = "K"},
                     %V: !tk.global<?x128xbf16> {tk.name = "V"}, %O: !tk.global<?x128xbf16> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %rows = tk.extent %Q, 0 : !tk.global<?x128xbf16>
  %m_tiles = arith.ceildivsi %rows, %c128 : i32
  %keys = tk.extent %K, 0 : !tk.global<?x128xbf16>
  %steps = arith.ceildivsi %keys, %c128 : i32
  tk.grid (%m) in (%m_tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %best0 = tk.fill %inf : !column
    %total0 = tk.fill %zero : !column
    %r:3 = scf.for %j = %c0 to %steps step %c1 iter_args(%o = %o0, %best = %best0, %total = %total0) -> (!score, !column, !column) : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %V[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %now = tk.reduce max rows %s init %best : !score -> !column
      %alpha = tk.map (%b = %best : !column, %a = %now : !column) -> !column {
        %0 = arith.subf %b, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %e = tk.map (%x = %s : !score, %a = %now : !column) -> !score {
        %0 = arith.subf %x, %a : f32
        %1 = math.exp2 %0 : f32
        tk.yield %1 : f32
      }
      %sum = tk.reduce add rows %e : !score -> !column
      %total1 = tk.map (%t = %total : !column, %f = %alpha : !column, %x = %sum : !column) -> !column {
        %0 = arith.mulf %t, %f : f32
        %1 = arith.addf %0, %x : f32
        tk.yield %1 : f32
      }
      %o1 = tk.map (%x = %o : !score, %f = %alpha : !column) -> !score {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      }
      %p = tk.map (%x = %e : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o1, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2, %now, %total1 : !score, !column, !column
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %out = tk.map (%x = %r#0 : !score, %t = %r#2 : !column) -> !score {
      %0 = arith.divf %x, %t : f32
      tk.yield %0 : f32
    }
    tk.store %O[%m, %c0], %out : !tk.global<?x128xbf16>, !score
  }
}
