// Tests that a tile that is taken apart and put together again is itself, and the other way round; and one whose columns
// are swapped twice.

// RUN: %tk-opt %s -allow-unregistered-dialect --canonicalize | FileCheck %s

!pairs = !tk.tile<64x64xf32, register, row>
!part = !tk.tile<64x32xf32, register, row>
%x, %a, %b = "test.values"() : () -> (!pairs, !part, !part)
// CHECK: %[[V:.+]]:3 = "test.values"
%even = tk.deinterleave %x : !pairs -> !part
%odd = tk.deinterleave odd %x : !pairs -> !part
%same = tk.interleave %even, %odd : !part -> !pairs
%turned = tk.interleave %odd, %even : !part -> !pairs
%ab = tk.interleave %a, %b : !part -> !pairs
%first = tk.deinterleave %ab : !pairs -> !part
%second = tk.deinterleave odd %ab : !pairs -> !part
// CHECK-DAG: %[[EVEN:.+]] = tk.deinterleave %[[V]]#0
// CHECK-DAG: %[[ODD:.+]] = tk.deinterleave odd %[[V]]#0
// CHECK: %[[TURNED:.+]] = tk.interleave %[[ODD]], %[[EVEN]]
// CHECK: "test.use"(%[[V]]#0, %[[TURNED]], %[[V]]#1, %[[V]]#2)
"test.use"(%same, %turned, %first, %second) : (!pairs, !pairs, !part, !part) -> ()

// CHECK: %[[SWAPPED:.+]] = tk.swap_pairs %[[V]]#0
// CHECK: "test.use"(%[[V]]#0, %[[SWAPPED]])
%swapped = tk.swap_pairs %x : !pairs
%back = tk.swap_pairs %swapped : !pairs
"test.use"(%back, %swapped) : (!pairs, !pairs) -> ()
