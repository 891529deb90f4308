// Tests that an element whose place is known only after the loads does not land with them.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-NOT: copy_element
// CHECK: hopper.role consumer
// CHECK: tk.element
tk.kernel @scaled(%A: !tk.global<?x?xf8E4M3FN> {tk.name = "A"}, %S: !tk.global<?x?xf32> {tk.name = "S"}, %V: !tk.global<?x?xf32> {tk.name = "V"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %m_tiles = tk.extent %S, 0 : !tk.global<?x?xf32>
  %k_tiles = tk.extent %S, 1 : !tk.global<?x?xf32>
  tk.grid (%m) in (%m_tiles) {
    %start = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    %sum = scf.for %k = %c0 to %k_tiles step %c1 iter_args(%before = %start) -> (!tk.tile<64x64xf32, register, row>) : i32 {
      %a = tk.load %A[%m, %k] : !tk.global<?x?xf8E4M3FN> -> !tk.tile<64x128xf8E4M3FN, shared> loc("a")
      %v = tk.load %V[%k, %m] : !tk.global<?x?xf32> -> !tk.vector<64xf32, shared> loc("v")
      %r = tk.read %v : !tk.vector<64xf32, shared> -> !tk.vector<64xf32, register, column>
      %part = tk.fill %zero : !tk.tile<64x64xf32, register, row>
      %p = tk.mma ABt %part, %a, %a : !tk.tile<64x64xf32, register, row>, !tk.tile<64x128xf8E4M3FN, shared>, !tk.tile<64x128xf8E4M3FN, shared>
      %j = arith.addi %k, %c1 : i32
      %s = tk.element %S[%m, %j] : !tk.global<?x?xf32> -> f32
      %next = tk.map (%x = %before : !tk.tile<64x64xf32, register, row>, %y = %p : !tk.tile<64x64xf32, register, row>, %z = %r : !tk.vector<64xf32, register, column>) -> !tk.tile<64x64xf32, register, row> {
        %f = arith.mulf %z, %s : f32
        %g = arith.mulf %y, %f : f32
        %h = arith.addf %x, %g : f32
        tk.yield %h : f32
      }
      scf.yield %next : !tk.tile<64x64xf32, register, row>
    } {tk.pipeline = #tk.pipeline<stages = 0>}
    tk.store %C[%m, %c0], %sum : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
}
