// RUN: %tk-opt %s --tk-overlap-products --canonicalize --cse | FileCheck %s

// Tests the order of attention's steady state: the next iteration's scores, this one's output, elementwise work, the
// rescaled output, the rounded operand. The first step of that stands before the loop, the last product behind it. Loads
// stand where they are used first, and those of one tensor share a ring.

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
      %fade = tk.map (%b = %best : !column, %a = %now : !column) -> !column {
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
      %total1 = tk.map (%t = %total : !column, %f = %fade : !column, %x = %sum : !column) -> !column {
        %0 = arith.mulf %t, %f : f32
        %1 = arith.addf %0, %x : f32
        tk.yield %1 : f32
      }
      %o1 = tk.map (%x = %o : !score, %f = %fade : !column) -> !score {
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

// Tests that a loop that may not run stands in a branch, that work fused with the rounding of the operand is separated
// from it, and that a product without an update needs no rescaling.

// CHECK-LABEL: tk.kernel @maybe
// CHECK: %[[RUNS:.+]] = arith.cmpi {{.*}} : i32
// CHECK: %[[R:.+]] = scf.if %[[RUNS]]
// CHECK: scf.for
// CHECK: tk.mma ABt
// CHECK: tk.mma AB
// CHECK: math.exp2
// CHECK-NOT: arith.truncf
// CHECK: tk.yield %{{.+}} : f32
// CHECK: arith.truncf
// CHECK: scf.yield
// CHECK: tk.mma AB
// CHECK: else
// CHECK-NEXT: scf.yield %[[NONE:.+]] :
tk.kernel @maybe(%Q: !tk.global<?x128xbf16>, %K: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %K[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = math.exp2 %x : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}

// Tests that one iteration is a prologue and an epilogue around a loop that does not run, and needs no branch.

// CHECK-LABEL: tk.kernel @once
// CHECK-NOT: scf.if
// CHECK: tk.mma ABt
// CHECK: tk.mma AB
tk.kernel @once(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%c1) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %r = scf.for %j = %c0 to %c1 step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %Q[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %none = tk.fill %zero : !score
      %s = tk.mma ABt %none, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !score
  }
}

// Tests what is left alone: a loop of one product, a loop whose first product needs the last iteration's second one, a tile
// that both stages read, and a loop that the user wants as it is.

// CHECK-LABEL: tk.kernel @alone
// CHECK-NOT: ring =
// CHECK-NOT: scf.if
// CHECK: tk.store
tk.kernel @alone(%Q: !tk.global<?x128xbf16>, %O: !tk.global<?x128xbf16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m) in (%n) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !shared
    %o0 = tk.fill %zero : !score
    %one = scf.for %j = %c0 to %n step %c1 iter_args(%o = %o0) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %o2 = tk.mma ABt %o, %q, %k : !score, !shared, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %chain = scf.for %j = %c0 to %n step %c1 iter_args(%o = %one) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %Q[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %s = tk.mma ABt %o, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o0, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %both = scf.for %j = %c0 to %n step %c1 iter_args(%o = %chain) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %s = tk.mma ABt %o0, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o, %p, %k : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    %hint = scf.for %j = %c0 to %n step %c1 iter_args(%o = %both) -> (!score) : i32 {
      %k = tk.load %Q[%j, %c0] : !tk.global<?x128xbf16> -> !shared
      %v = tk.load %Q[%j, %c1] : !tk.global<?x128xbf16> -> !shared
      %s = tk.mma ABt %o0, %q, %k : !score, !shared, !shared
      %p = tk.map (%x = %s : !score) -> !tk.tile<128x128xbf16, register, row> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      }
      %o2 = tk.mma AB %o, %p, %v : !score, !tk.tile<128x128xbf16, register, row>, !shared
      scf.yield %o2 : !score
    } {tk.pipeline = #tk.pipeline<stages = 0, overlap = false>}
    tk.store %O[%m, %c0], %hint : !tk.global<?x128xbf16>, !score
  }
}

// Tests that a loop stays as it is where the tiles of two iterations do not fit the registers at once: the next scores have 128
// of a thread's, the output and the rounded operand 64 each.

// CHECK-LABEL: tk.kernel @large
// CHECK: %[[END:.+]] = arith.ceildivsi
// CHECK-NOT: tk.mma
// CHECK: scf.for {{.+}} to
// CHECK-NOT: ring =
// CHECK: tk.mma ABt
// CHECK: tk.map
// CHECK: tk.mma AB
// CHECK-NOT: tk.mma
// CHECK: tk.store

!scores = !tk.tile<64x256xf32, register, row>
!rounded = !tk.tile<64x256xbf16, register, row>
!output = !tk.tile<64x128xf32, register, row>
!half = !tk.tile<64x128xbf16, shared>
!keys = !tk.tile<256x128xbf16, shared>

tk.kernel @large(%Q: !tk.global<?x128xbf16> {tk.name = "Q"}, %K: !tk.global<?x128xbf16> {tk.name = "K"},
                 %V: !tk.global<?x128xbf16> {tk.name = "V"}, %O: !tk.global<?x128xbf16> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant 0.0 : f32
  %rows = tk.extent %Q, 0 : !tk.global<?x128xbf16>
  %m_tiles = arith.ceildivsi %rows, %c64 : i32
  %keys = tk.extent %K, 0 : !tk.global<?x128xbf16>
  %steps = arith.ceildivsi %keys, %c256 : i32
  tk.grid (%m) in (%m_tiles) {
    %q = tk.load %Q[%m, %c0] : !tk.global<?x128xbf16> -> !half
    %o0 = tk.fill %zero : !output
    %r = scf.for %j = %c0 to %steps step %c1 iter_args(%o = %o0) -> (!output) : i32 {
      %k = tk.load %K[%j, %c0] : !tk.global<?x128xbf16> -> !keys
      %v = tk.load %V[%j, %c0] : !tk.global<?x128xbf16> -> !keys
      %none = tk.fill %zero : !scores
      %s = tk.mma ABt %none, %q, %k : !scores, !half, !keys
      %p = tk.map (%x = %s : !scores) -> !rounded {
        %0 = math.exp2 %x : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %o1 = tk.mma AB %o, %p, %v : !output, !rounded, !keys
      scf.yield %o1 : !output
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%m, %c0], %r : !tk.global<?x128xbf16>, !output
  }
}
