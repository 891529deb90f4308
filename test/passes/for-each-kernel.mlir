// Tests that a pass works on the kernels of a module beside each other, on all of them where one fails, and speaks of them in
// their order.

// RUN: not %tk-opt %s --test-for-each-kernel > %t 2>&1
// RUN: FileCheck %s < %t
// RUN: not %tk-opt %s --test-for-each-kernel --mlir-disable-threading > %t 2>&1
// RUN: FileCheck %s < %t
// CHECK: [[#@LINE+3]]:1: remark: beside others
// CHECK: [[#@LINE+3]]:1: remark: beside others
// CHECK: [[#@LINE+3]]:1: remark: beside others
hopper.kernel @fails() { %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16> }
hopper.kernel @works(%A: !tk.global<?x?xbf16> {tk.name = "A"}) { %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16> }
hopper.kernel @fails_too() { %a = hopper.alloc_ring "a" : !hopper.ring<1, 64x64xbf16> }
