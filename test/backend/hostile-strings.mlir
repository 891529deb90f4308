// Tests that strings of hand-written IR stay comments and literals, and that names which cannot be code are refused.

// RUN: split-file %s %t
// RUN: %tk-translate --hopper-to-cuda %t/reason.mlir | FileCheck %t/reason.mlir
// RUN: not %tk-translate --hopper-to-cuda %t/name.mlir 2>&1 | FileCheck %t/name.mlir
// RUN: not %tk-translate --hopper-to-cuda %t/keyword.mlir 2>&1 | FileCheck %t/keyword.mlir
// RUN: not %tk-translate --tk-to-reference %t/instance.mlir 2>&1 | FileCheck %t/instance.mlir

//--- reason.mlir
// CHECK-NOT: {{^ *(#include "evil|evil)}}
// CHECK: __syncthreads(); // a\012#include "evil.h"\012evil();\015evil(); \ ...
// CHECK: // b ??/ ...
// CHECK-NOT: {{^ *(#include "evil|evil)}}
hopper.kernel @k(%A: !tk.global<?x?xbf16> {tk.name = "A\0Aevil"}) attributes {threads = 128 : i64} {
  hopper.sync_block because "a\0A#include \22evil.h\22\0Aevil();\0Devil(); \\"
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    hopper.sync_consumers because "b ??/"
  }
}

//--- name.mlir
// CHECK: error: {{.*}}has a name that is no identifier of C: 'k() {}\012evil'
hopper.kernel @"k() {}\0Aevil"(%A: !tk.global<?x?xbf16>) attributes {threads = 128 : i64} {
  hopper.sync_block because "a"
}

//--- keyword.mlir
// CHECK: error: {{.*}}has a name that is no identifier of C: 'int'
hopper.kernel @int(%A: !tk.global<?x?xbf16>) attributes {threads = 128 : i64} {
  hopper.sync_block because "a"
}

//--- instance.mlir
// CHECK: error: {{.*}}is an instance with the name 'k(A); evil', which is no function's in C++
tk.kernel @k(%A: !tk.global<?x?xbf16>) attributes {tk.function = "k(A); evil"} {
}
