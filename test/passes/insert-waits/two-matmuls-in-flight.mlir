// Tests two MMAs in flight: the first result is read while the second goes on, and one fence serves both.
// What the second one reads or makes waits for it.

// RUN: %tk-opt %s --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --tk-insert-waits | FileCheck %s
// RUN: %tk-opt %s --tk-insert-waits --test-hazards 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: remark

// CHECK-LABEL: hopper.kernel @overlap
// CHECK: hopper.fence_registers because "s, o and p pass from this thread's code to the tensor cores"
// CHECK-NEXT: %[[S:.+]] = hopper.wgmma ABt
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: %[[O:.+]] = hopper.wgmma AB 
// CHECK-NEXT: hopper.commit_wgmma
// CHECK-NEXT: hopper.wait_wgmma 1 for %[[S]] because "s is read on line 31"
// CHECK-NEXT: hopper.reduce_rows
// CHECK-NOT: hopper.wait_wgmma
// CHECK: hopper.wait_wgmma 0 for %[[O]] because "o is read on line 32"
// CHECK-NEXT: hopper.map
// CHECK-NOT: hopper.wait_wgmma
#line31 = loc("a.tk":31:1)
#line32 = loc("a.tk":32:1)
#line33 = loc("a.tk":33:1)
hopper.kernel @overlap(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %a = hopper.alloc_ring "a" : !hopper.ring<4, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %at = hopper.slot %a[%c0] : !hopper.ring<4, 64x64xbf16>
    %o0 = hopper.fill %zero : f32, !hopper.fragment<64x64xf32> loc("o")
    %p0 = hopper.map (%x = %o0 : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
      %0 = arith.truncf %x : f32 to bf16
      tk.yield %0 : bf16
    } loc("p")
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %o0, %p = %p0)
        -> (!hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>) : i32 {
      %s0 = hopper.uninitialized : !hopper.fragment<64x64xf32> loc("s")
      %s = hopper.wgmma ABt %s0, %at, %at accumulate %false : !hopper.fragment<64x64xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %o1 = hopper.wgmma AB %o, %p, %at accumulate %true : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>, !hopper.shared<64x64xbf16>
      hopper.commit_wgmma
      %m = hopper.reduce_rows max %s : !hopper.fragment<64x64xf32> -> !hopper.vector<64xf32, column> loc(#line31)
      %o2 = hopper.map (%x = %o1 : !hopper.fragment<64x64xf32>, %f = %m : !hopper.vector<64xf32, column>)
          -> !hopper.fragment<64x64xf32> {
        %0 = arith.mulf %x, %f : f32
        tk.yield %0 : f32
      } loc(#line32)
      %p1 = hopper.map (%x = %s : !hopper.fragment<64x64xf32>) -> !hopper.fragment<64x64xbf16> {
        %0 = arith.truncf %x : f32 to bf16
        tk.yield %0 : bf16
      } loc(#line33)
      scf.yield %o2, %p1 : !hopper.fragment<64x64xf32>, !hopper.fragment<64x64xbf16>
    }
  }
}
