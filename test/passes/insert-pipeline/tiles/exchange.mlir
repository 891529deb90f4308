// Tests what crosses rows: all of it goes through one piece of shared memory, as large as the largest needs.

// RUN: %tk-opt %s --tk-distribute --tk-insert-pipeline | FileCheck %s

!F = !tk.global<?x?xf32>

// CHECK-LABEL: hopper.kernel @across
// CHECK: %[[RING:.+]] = hopper.alloc_ring "cross_warp_scratch" {what = "cross-warp reduction scratch"} : <1, 1x8192xf32>
// CHECK: hopper.role consumer warpgroups 2
// CHECK: %[[S:.+]] = hopper.reduce_columns add {{.+}} across 2 through %{{.+}} {barrier_id = 5 : i64} : !hopper.fragment<64x128xf32>, !hopper.shared<1x8192xf32> -> !hopper.vector<128xf32, row>
// CHECK: hopper.scan add {{.+}} across 2 through
// CHECK: hopper.transpose {{.+}} across 2 through {{.+}} -> !hopper.vector<128xf32, row>
// CHECK: %[[MASKED:.+]] = hopper.map {{.+}} at (%[[ROW:.+]], %{{.+}})
// CHECK: %[[AT:.+]] = arith.addi %{{.+}}, %[[ROW]]
// CHECK: arith.cmpi eq, %[[AT]], %c5
// CHECK: hopper.reduce_columns add %[[MASKED]] across 2
// CHECK: hopper.slice %{{.+}}[0, 127] : !hopper.fragment<64x128xf32> -> !hopper.vector<64xf32, column>
// CHECK: hopper.transpose {{.+}} -> !hopper.fragment<64x128xf16>
// CHECK: %[[W:.+]] = hopper.concat columns
// CHECK: %[[O:.+]] = hopper.deinterleave odd %[[W]] : !hopper.fragment<64x256xf16> -> !hopper.fragment<64x128xf16>
// CHECK: %[[N:.+]] = hopper.interleave %[[O]], %{{.+}} : !hopper.fragment<64x128xf16> -> !hopper.fragment<64x256xf16>
// CHECK: hopper.swap_pairs %[[N]] : !hopper.fragment<64x256xf16>
tk.kernel @across(%C: !F {tk.name = "C"}, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tk.grid (%m) in (%c1) {
    %t = tk.fill %x : !tk.tile<128x128xf32, register, row>
    %h = tk.map (%e = %t : !tk.tile<128x128xf32, register, row>) -> !tk.tile<128x128xf16, register, row> {
      %r = arith.truncf %e : f32 to f16
      tk.yield %r : f16
    }
    %s = tk.reduce add columns %t : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, row>
    %c = tk.reduce add rows %t : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    %d = tk.scan add %c : !tk.vector<128xf32, register, column>
    %e = tk.transpose %d : !tk.vector<128xf32, register, column> -> !tk.vector<128xf32, register, row>
    %r = tk.slice %t[5, 0] : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, row>
    %l = tk.slice %t[0, 127] : !tk.tile<128x128xf32, register, row> -> !tk.vector<128xf32, register, column>
    %z = tk.map (%a = %t : !tk.tile<128x128xf32, register, row>, %b = %s : !tk.vector<128xf32, register, row>, %f = %e : !tk.vector<128xf32, register, row>, %g = %r : !tk.vector<128xf32, register, row>, %k = %l : !tk.vector<128xf32, register, column>) -> !tk.tile<128x128xf32, register, row> {
      %1 = arith.addf %a, %b : f32
      %2 = arith.addf %1, %f : f32
      %3 = arith.addf %2, %g : f32
      %4 = arith.addf %3, %k : f32
      tk.yield %4 : f32
    }
    tk.store %C[%m, %c0], %z : !F, !tk.tile<128x128xf32, register, row>
    %u = tk.transpose %h : !tk.tile<128x128xf16, register, row> -> !tk.tile<128x128xf16, register, row>
    %w = tk.concat columns %u, %h : !tk.tile<128x128xf16, register, row>, !tk.tile<128x128xf16, register, row> -> !tk.tile<128x256xf16, register, row>
    %o = tk.deinterleave odd %w : !tk.tile<128x256xf16, register, row> -> !tk.tile<128x128xf16, register, row>
    %n = tk.interleave %o, %u : !tk.tile<128x128xf16, register, row> -> !tk.tile<128x256xf16, register, row>
    %p = tk.swap_pairs %n : !tk.tile<128x256xf16, register, row>
    %v = tk.slice %p[0, 0] : !tk.tile<128x256xf16, register, row> -> !tk.tile<128x128xf16, register, row>
    %q = tk.map (%a = %v : !tk.tile<128x128xf16, register, row>) -> !tk.tile<128x128xf32, register, row> {
      %1 = arith.extf %a : f16 to f32
      tk.yield %1 : f32
    }
    tk.store %C[%m, %c0], %q : !F, !tk.tile<128x128xf32, register, row>
  }
}
