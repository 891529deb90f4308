// Tests that a map which reads the result of one MMA and the operand of the MMA after it is divided: the work that
// needs the first one alone comes before.

// RUN: %tk-opt %s --tk-split-maps-at-mmas | FileCheck %s

!tile = !hopper.shared<64x64xbf16>
!acc = !hopper.fragment<64x64xf32>
!wide = !hopper.fragment<64x128xf32>
!half = !hopper.fragment<64x64xbf16>
!row = !hopper.vector<64xf32, row>

// CHECK-LABEL: hopper.kernel @split
// CHECK: %[[P:.+]] = hopper.map ({{.+}}) -> !hopper.fragment<64x64xbf16>
// CHECK: %[[DP:.+]] = hopper.wgmma ABt
// CHECK: hopper.wgmma AB {{.+}}, %[[P]]
// CHECK: %[[EARLY:.+]] = hopper.map (%[[X:.+]] = %[[DP]] : {{.+}}, %[[D:.+]] = %{{.+}} : {{.+}}) -> !hopper.fragment<64x64xf32> {
// CHECK-NEXT: %[[DIFFERENCE:.+]] = arith.subf %[[X]], %[[D]]
// CHECK-NEXT: tk.yield %[[DIFFERENCE]]
// CHECK: hopper.map (%{{.+}} = %[[P]] : {{.+}}, %{{.+}} = %[[EARLY]] : {{.+}}) -> !hopper.fragment<64x64xbf16> {
// CHECK-NOT: arith.subf
hopper.kernel @split(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : <3, 64x64xbf16>
  %r = hopper.alloc_ring "r" : <1, 1x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %k = hopper.slot %a[%c0] : <3, 64x64xbf16>
    %d = hopper.slot %a[%c1] : <3, 64x64xbf16>
    %v = hopper.slot %r[%c0] : <1, 1x64xf32>
    %start = hopper.fill %zero : f32, !acc
    %dv = scf.for %j = %c0 to %n step %c1 iter_args(%dv_j = %start) -> (!acc) : i32 {
      %s0 = hopper.uninitialized : !acc
      %s = hopper.wgmma ABt %s0, %k, %d accumulate %false : !acc, !tile, !tile
      hopper.commit_wgmma
      %p = hopper.map (%e = %s : !acc) -> !half {
        %0 = math.exp2 %e : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %dp0 = hopper.uninitialized : !acc
      %dp = hopper.wgmma ABt %dp0, %k, %d accumulate %false : !acc, !tile, !tile
      hopper.commit_wgmma
      %next = hopper.wgmma AB %dv_j, %p, %d accumulate %true : !acc, !half, !tile
      hopper.commit_wgmma
      %delta = hopper.load_fragment %v : !hopper.shared<1x64xf32> -> !row
      %ds = hopper.map (%x = %p : !half, %y = %dp : !acc, %z = %delta : !row) -> !half {
        %0 = arith.subf %y, %z : f32
        %1 = arith.extf %x : bf16 to f32
        %2 = arith.mulf %1, %0 : f32
        %3 = arith.truncf %2 : f32 to bf16
        tk.yield %3 : bf16
      }
      hopper.store_fragment %ds[%c0, %c0] to %k : !half, !tile
      scf.yield %next : !acc
    }
  }
}

// The product and the addition of the other operand are one instruction.
// CHECK-LABEL: hopper.kernel @one_instruction
// CHECK: hopper.wgmma AB %
// CHECK: hopper.map
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.addf
hopper.kernel @one_instruction(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : <3, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %k = hopper.slot %a[%c0] : <3, 64x64xbf16>
    %d = hopper.slot %a[%c1] : <3, 64x64xbf16>
    %start = hopper.fill %zero : f32, !acc
    %dv = scf.for %j = %c0 to %n step %c1 iter_args(%dv_j = %start) -> (!acc) : i32 {
      %s0 = hopper.uninitialized : !acc
      %s = hopper.wgmma ABt %s0, %k, %d accumulate %false : !acc, !tile, !tile
      hopper.commit_wgmma
      %p = hopper.map (%e = %s : !acc) -> !half {
        %0 = math.exp2 %e : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %dp0 = hopper.uninitialized : !acc
      %dp = hopper.wgmma ABt %dp0, %k, %d accumulate %false : !acc, !tile, !tile
      hopper.commit_wgmma
      %next = hopper.wgmma AB %dv_j, %p, %d accumulate %true : !acc, !half, !tile
      hopper.commit_wgmma
      %ds = hopper.map (%x = %p : !half, %y = %dp : !acc) -> !half {
        %0 = arith.mulf %y, %y : f32
        %1 = arith.extf %x : bf16 to f32
        %2 = arith.addf %1, %0 : f32
        %3 = arith.truncf %2 : f32 to bf16
        tk.yield %3 : bf16
      }
      hopper.store_fragment %ds[%c0, %c0] to %k : !half, !tile
      scf.yield %next : !acc
    }
  }
}

// The MMAs take four times as long as the exponentials.
// CHECK-LABEL: hopper.kernel @busy
// CHECK: hopper.wgmma AB %
// CHECK: hopper.map
// CHECK-NEXT: arith.subf
// CHECK-NEXT: arith.extf
hopper.kernel @busy(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %true = arith.constant true
  %a = hopper.alloc_ring "a" : <3, 64x128xbf16>
  %b = hopper.alloc_ring "b" : <1, 64x64xbf16>
  %r = hopper.alloc_ring "r" : <1, 1x64xf32>
  hopper.role consumer warpgroups 1 {
  ^bb0(%w: i32):
    %k = hopper.slot %a[%c0] : <3, 64x128xbf16>
    %d = hopper.slot %a[%c1] : <3, 64x128xbf16>
    %o = hopper.slot %b[%c0] : <1, 64x64xbf16>
    %v = hopper.slot %r[%c0] : <1, 1x64xf32>
    %start = hopper.fill %zero : f32, !wide
    %dv = scf.for %j = %c0 to %n step %c1 iter_args(%dv_j = %start) -> (!wide) : i32 {
      %s0 = hopper.uninitialized : !acc
      %s = hopper.wgmma ABt %s0, %k, %d accumulate %false : !acc, !hopper.shared<64x128xbf16>, !hopper.shared<64x128xbf16>
      hopper.commit_wgmma
      %p = hopper.map (%e = %s : !acc) -> !half {
        %0 = math.exp2 %e : f32
        %1 = arith.truncf %0 : f32 to bf16
        tk.yield %1 : bf16
      }
      %dp0 = hopper.uninitialized : !acc
      %dp = hopper.wgmma ABt %dp0, %k, %d accumulate %false : !acc, !hopper.shared<64x128xbf16>, !hopper.shared<64x128xbf16>
      hopper.commit_wgmma
      %next = hopper.wgmma AB %dv_j, %p, %d accumulate %true : !wide, !half, !hopper.shared<64x128xbf16>
      hopper.commit_wgmma
      %delta = hopper.load_fragment %v : !hopper.shared<1x64xf32> -> !row
      %ds = hopper.map (%x = %p : !half, %y = %dp : !acc, %z = %delta : !row) -> !half {
        %0 = arith.subf %y, %z : f32
        %1 = arith.extf %x : bf16 to f32
        %2 = arith.mulf %1, %0 : f32
        %3 = arith.truncf %2 : f32 to bf16
        tk.yield %3 : bf16
      }
      hopper.store_fragment %ds[%c0, %c0] to %o : !half, !tile
      scf.yield %next : !wide
    }
  }
}
