// Tests that tiles of one tensor which are read into registers one after the other share one ring: each is given
// back before the next one is waited for. Where shared memory is left, two stages for each of them. A tile of another
// tensor has a ring of its own, and so has one that is read only after the next one.

// RUN: %tk-opt %s --split-input-file --tk-distribute --tk-insert-pipeline --canonicalize --cse | FileCheck %s

// CHECK-LABEL: hopper.kernel @parts
// CHECK: hopper.alloc_ring "R_tile"  : <8, 64x64xbf16>
// CHECK: hopper.alloc_ring "S_tile"  : <8, 64x64xbf16>
// CHECK-NOT: hopper.alloc_ring "{{[RS]}}_tile
// CHECK: hopper.role consumer
// CHECK: hopper.load_fragment
// CHECK-NEXT: hopper.arrive
// CHECK: hopper.wait_barrier
// CHECK: hopper.load_fragment
tk.kernel @parts(%R: !tk.global<?x?xbf16> {tk.name = "R"}, %S: !tk.global<?x?xbf16> {tk.name = "S"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {persistent = true} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %r = tk.load %R[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %x = tk.read %r : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    %s = tk.load %S[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.read %s : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c0], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    %r_2 = tk.load %R[%m, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %z = tk.read %r_2 : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c1], %z : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c1], %y : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}

// -----

// CHECK-LABEL: hopper.kernel @together
// CHECK-COUNT-2: hopper.alloc_ring "R_tile" : <8, 64x64xbf16>
tk.kernel @together(%R: !tk.global<?x?xbf16> {tk.name = "R"}, %C: !tk.global<?x?xbf16> {tk.name = "C"}) attributes {persistent = true} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %r = tk.load %R[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %r_2 = tk.load %R[%m, %c1] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %z = tk.read %r_2 : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c1], %z : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
    %x = tk.read %r : !tk.tile<64x64xbf16, shared> -> !tk.tile<64x64xbf16, register, row>
    tk.store %C[%m, %c0], %x : !tk.global<?x?xbf16>, !tk.tile<64x64xbf16, register, row>
  }
}
