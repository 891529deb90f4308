// Tests that a loop stays as it is where the tiles of two iterations do not fit the registers at once.
// The next scores have 128 of a thread's, the output and the rounded operand 64 each.

// RUN: %tk-opt %s --tk-overlap-mmas --canonicalize --cse | FileCheck %s

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
