// The reference: a C++ file that calls the kernels of the .tk as they stand, after the checks of the launcher.
//
// RUN: %tk-translate --tk-to-reference --source=%S/Inputs/scale.tk %s -o %t.cpp
// RUN: FileCheck %s --input-file=%t.cpp
// RUN: c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I %runtime %t.cpp

// CHECK: // Written by tkc {{.*}} from scale.tk.
// CHECK: #include <language/reference.h>
// CHECK: #include "/{{.*}}/Inputs/scale.tk"

// CHECK: // scale<BM = 64>, scale.tk:4
// CHECK-NEXT: extern "C" tk_status scale(const tk_tensor *X, const tk_tensor *Y, int32_t rows, tk_stream) {
// CHECK-NEXT: host::arguments args("scale");
// CHECK-NEXT: args.tensor("X", X, TK_BF16, 2);
// CHECK-NEXT: args.tensor("Y", Y, TK_BF16, 2);
// CHECK-NEXT: args.same_extent("X", X, 0, "Y", Y, 0); // both are walked by m, scale.tk:5
// CHECK-NEXT: args.written("Y", Y);
// CHECK-NEXT: if (args.done())
// CHECK-NEXT: return args.status();
// CHECK-EMPTY:
// CHECK-NEXT: scale<64>(tk::reference::tensor(X), tk::reference::tensor(Y), rows);
// CHECK-NEXT: return args.status();
// CHECK-NEXT: }
tk.kernel @scale(%X: !tk.global<?x?xbf16> {tk.name = "X"}, %Y: !tk.global<?x?xbf16> {tk.name = "Y"},
                 %rows: i32 {tk.name = "rows"})
    attributes {parameters = "BM = 64", tk.function = "scale<64>"} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  tk.grid (%m loc("m"("scale.tk":5:14))) in (%rows) {
    %x = tk.load %X[%m, %c0] : !tk.global<?x?xbf16> -> !tk.tile<64x64xbf16, shared>
    %y = tk.fill %zero : !tk.tile<64x64xf32, register, row>
    tk.store %Y[%m, %c0], %y : !tk.global<?x?xbf16>, !tk.tile<64x64xf32, register, row>
  }
} loc("scale.tk":4:8)

// Tests a kernel that is no template.
// CHECK: extern "C" tk_status nothing(int32_t args_2, tk_stream) {
// CHECK: nothing(args_2);
tk.kernel @nothing(%a: i32 {tk.name = "args"}) {
}
