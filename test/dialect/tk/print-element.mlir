// RUN: %tk-opt %s | %tk-opt | FileCheck %s

// Tests that the element of a tensor keeps its form.

// CHECK-LABEL: tk.kernel @k
// CHECK: tk.element %{{.+}}[%{{.+}}] : !tk.global<?xi8> -> i32
// CHECK: tk.element %{{.+}}[%{{.+}}, %{{.+}}] : !tk.global<?x?xbf16> -> f32
tk.kernel @k(%A: !tk.global<?xi8>, %B: !tk.global<?x?xbf16>, %i: i32) {
  %a = tk.element %A[%i] : !tk.global<?xi8> -> i32
  %b = tk.element %B[%i, %a] : !tk.global<?x?xbf16> -> f32
}
