// Tests that beside a reducer tiles of a loop's body that follow one another share registers, that those which are alive at
// once do not, and that without a reducer nothing does.

// RUN: %tk-opt %s --tk-assign-variables | FileCheck %s
// RUN: sed 's/role reducer/role consumer/' %s | %tk-opt --tk-assign-variables | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: hopper.registers

// CHECK-LABEL: hopper.kernel @k
// CHECK: hopper.uninitialized {hopper.registers = [[S:[0-9]+]] : i64}
// CHECK: hopper.map {{.*}}hopper.registers = [[P:[0-9]+]] : i64
// CHECK: hopper.uninitialized {hopper.registers = [[S]] : i64}
// CHECK: hopper.map {{.*}}hopper.registers = [[P]] : i64
// CHECK: hopper.uninitialized : <64x64xf32>
// CHECK: hopper.uninitialized : <64x64xf32>
hopper.kernel @k(%out: !tk.global<?x?xf32> {tk.name = "out"}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  %false = arith.constant false
  %ring = hopper.alloc_ring "ring" : !hopper.ring<1, 64x64xbf16>
  %t = hopper.slot %ring[%c0] : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %start = hopper.fill %zero : f32, !hopper.fragment<64x64xf32>
    %sum = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %start) -> (!hopper.fragment<64x64xf32>) : i32 {
      %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %s = hopper.wgmma ABt %s0, %t, %t accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %p = hopper.map (%x = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      } loc("p")
      %dp0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %dp = hopper.wgmma ABt %dp0, %t, %t accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      %first = hopper.wgmma AB %acc, %p, %t accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %ds = hopper.map (%x = %p : !hopper.fragment<64x64xbf16>, %y = %dp : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %0 = arith.extf %x : bf16 to f32
        %1 = arith.mulf %0, %y : f32
        %2 = arith.truncf %1 : f32 to bf16
        tk.yield %2 : bf16
      } loc("ds")
      %next = hopper.wgmma AB %first, %ds, %t accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      scf.yield %next : !hopper.fragment<64x64xf32>
    }
  }
  hopper.role reducer warpgroups 1 {
  ^bb0(%w: i32):
    scf.for %j = %c0 to %n step %c1 : i32 {
      %a0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %a = hopper.wgmma ABt %a0, %t, %t accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.store_fragment %a[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
      %b0 = hopper.uninitialized : !hopper.fragment<64x64xf32>
      %b = hopper.wgmma ABt %b0, %t, %t accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      hopper.store_fragment %b[%c0, %c0] to %t : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>
    }
  }
}
