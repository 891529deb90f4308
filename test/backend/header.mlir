// The header: plain C, one declaration for each kernel, with what it takes and what must be equal.
//
// RUN: %tk-translate --hopper-to-header --source=%S/Inputs/comments.tk %s -o %t.h
// RUN: FileCheck %s --input-file=%t.h --match-full-lines
// RUN: c++ -x c -std=c99 -Wall -Wextra -Werror -fsyntax-only -I %runtime %t.h

// CHECK:      #ifndef TK_COMMENTS_H
// CHECK-NEXT: #define TK_COMMENTS_H
// CHECK-EMPTY:
// CHECK-NEXT: #include <host/abi.h>
// CHECK-NEXT: #include <stdbool.h>
// CHECK-EMPTY:
// CHECK-NEXT: #ifdef __cplusplus
// CHECK-NEXT: extern "C" {
// CHECK-NEXT: #endif
// CHECK-EMPTY:
// CHECK-NEXT: // all<D = 64, Causal = true>, k.tk:3
// CHECK-NEXT: //   X       f16, rank 3, depth = 2, not used
// CHECK-NEXT: //   scale   float
// CHECK-NEXT: //   causal  bool
// CHECK-NEXT: // Requires X.depth = X.rows, X.rows = X.cols; rows may be strided, by multiples of 16 bytes.
// CHECK-NEXT: tk_status all(const tk_tensor *X, float scale, bool causal, tk_stream stream);
// CHECK-EMPTY:
// CHECK-NEXT: // other, k.tk:9
// CHECK-NEXT: //   argument  int
// CHECK-NEXT: // Rows may be strided, by multiples of 16 bytes.
// CHECK-NEXT: tk_status other(int32_t argument, tk_stream stream);
// CHECK-EMPTY:
// CHECK-NEXT: #ifdef __cplusplus
// CHECK-NEXT: }
// CHECK-NEXT: #endif
// CHECK-EMPTY:
// CHECK-NEXT: #endif // TK_COMMENTS_H
hopper.kernel @all(%X: !tk.global<2x?x?xf16> {tk.name = "X"}, %s: f32 {tk.name = "scale"}, %c: i1 {tk.name = "causal"})
    attributes {parameters = "D = 64, Causal = true",
                equal_extents = [#hopper.equal_extent<[0, 0], [0, 1] by "b" line 4>,
                                 #hopper.equal_extent<[0, 1], [0, 2] by "m" line 4>]} {
} loc("/some/where/k.tk":3:8)

hopper.kernel @other(%n: i32) {
} loc("k.tk":9:8)
