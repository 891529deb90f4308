// Tests that scanner warps take over running sums of what a loop loads, what the sums depend on and what is made of them, and that
// the consumers read what they need of it from shared memory: the vector that the program writes there itself, and a map's result.
// A map of what they read anyway stays theirs, and so does the loaded vector's other use.

// RUN: %tk-opt %s --tk-distribute | FileCheck %s

// CHECK-LABEL: tk.kernel @scanned
// CHECK: %[[SUMS:.+]] = tk.alloc : !tk.vector<64xf32, shared>
// CHECK: %[[SHIFTED:.+]] = tk.alloc : !tk.vector<64xf32, shared>
// CHECK: scf.for
// CHECK: %[[G:.+]] = tk.load %{{.+}} -> !tk.vector<64xf32, shared>
// CHECK: %[[OWN:.+]] = tk.read %[[G]] {{.*}}column>
// CHECK: %[[GS:.+]] = tk.read %[[G]] {tk.scanner}
// CHECK: %[[SCALED:.+]] = tk.map (%{{.+}} = %[[GS]] {{.*}}{tk.scanner}
// CHECK: %[[NOW:.+]] = tk.scan add %[[SCALED]] {tk.scanner}
// CHECK: %[[WRITTEN:.+]] = tk.write %[[NOW]] to %[[SUMS]] {tk.scanner}
// CHECK: tk.map (%{{.+}} = %[[NOW]] : {{.*}}, %{{.+}} = %[[SCALED]] {{.*}}{tk.scanner}
// CHECK: tk.write %{{.+}} to %[[SHIFTED]] {tk.scanner}
// CHECK-NOT: tk.scanner
// CHECK: tk.read %[[WRITTEN]] : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
// CHECK-NOT: tk.scanner
// CHECK: tk.mma
// CHECK: scf.yield
tk.kernel @scanned(%Q: !tk.global<?x64xbf16> {tk.name = "Q"}, %G: !tk.global<?xf32> {tk.name = "G"}, %O: !tk.global<?x64xf32> {tk.name = "O"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  tk.grid (%n) in (%c4) {
    %none = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %nows = tk.alloc : !tk.vector<64xf32, shared> loc("nows")
    %sum = scf.for %m = %c0 to %c4 step %c1 iter_args(%o = %none) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %q = tk.load %Q[%m, %c0] : !tk.global<?x64xbf16> -> !tk.tile<64x64xbf16, shared> loc("q")
      %g = tk.load %G[%m] : !tk.global<?xf32> -> !tk.vector<64xf32, shared> loc("g")
      %gs = tk.read %g : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, column>
      %scaled = tk.map (%x = %gs : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %halved = arith.mulf %x, %half : f32
        tk.yield %halved : f32
      }
      %now = tk.scan add %scaled : !tk.vector<64xf32, register, column> loc("now")
      %shifted = tk.map (%x = %now : !tk.vector<64xf32, register, column>, %y = %scaled : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %less = arith.subf %x, %y : f32
        tk.yield %less : f32
      }
      %factor = tk.map (%x = %now : !tk.vector<64xf32, register, column>) -> !tk.vector<64xf32, register, column> {
        %power = math.exp2 %x : f32
        tk.yield %power : f32
      }
      %written = tk.write %now to %nows : !tk.vector<64xf32, register, column>, !tk.vector<64xf32, shared>
      %then = tk.read %written : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, row>
      %s = tk.mma ABt %none, %q, %q : !tk.tile<64x64xf32, register, row>, !tk.tile<64x64xbf16, shared>, !tk.tile<64x64xbf16, shared>
      %next = tk.map (%a = %o : !tk.tile<64x64xf32, register, row>, %b = %s : !tk.tile<64x64xf32, register, row>, %t = %then : !tk.vector<64xf32, register, row>, %i = %now : !tk.vector<64xf32, register, column>, %j = %shifted : !tk.vector<64xf32, register, column>, %k = %factor : !tk.vector<64xf32, register, column>, %l = %gs : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %0 = arith.subf %i, %t : f32
        %1 = math.exp2 %0 : f32
        %2 = arith.mulf %b, %1 : f32
        %3 = arith.mulf %2, %j : f32
        %4 = arith.mulf %3, %k : f32
        %5 = arith.mulf %4, %l : f32
        %6 = arith.addf %a, %5 : f32
        tk.yield %6 : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %O[%n, %c0], %sum : !tk.global<?x64xf32>, !tk.tile<64x64xf32, register, row>
  }
}
