// Names: the user's own, unless C++, CUDA or the emitted text itself needs the word.
//
// RUN: %tk-translate --hopper-to-cuda %s | FileCheck %s

// Tests that words of C++, CUDA and the runtime, and what is no identifier, are changed, in the kernel and in the C
// function alike, and that messages keep the user's name.
// CHECK: // words
// CHECK: constexpr int auto_2_offset = 0;
// CHECK: words_kernel(const __grid_constant__ CUtensorMap tma_load_map, const int float_2, const int store_2, const int n_m,
// CHECK-NEXT: const int v1st, const int v_x) {
// CHECK: const int threadIdx_2 = float_2 + store_2;
// CHECK: const int rt_2 = n_m + v1st + v_x;
// CHECK: const shared_ring<bf16, 64, 64, 1> auto_2(shared + auto_2_offset);
// CHECK: tk_status words(const tk_tensor *tma_load_2, int32_t float_2, int32_t store_2, int32_t n_m, int32_t v1st,
// CHECK-NEXT: int32_t v_x, tk_stream stream) {
// CHECK: args.tensor("tma_load", tma_load_2, TK_BF16, 2);
hopper.kernel @words(%A: !tk.global<?x?xbf16> {tk.name = "tma_load"}, %a: i32 {tk.name = "float"},
                     %b: i32 {tk.name = "store"}, %c: i32 {tk.name = "n.m"}, %d: i32 {tk.name = "1st"},
                     %e: i32 {tk.name = "_x"}) attributes {threads = 128 : i64, shared_bytes = 8192 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %map = hopper.tensor_map %A box [64, 64] swizzle 128 : !tk.global<?x?xbf16>
  %x = arith.addi %a, %b : i32 loc("threadIdx")
  %y0 = arith.addi %c, %d : i32
  %y = arith.addi %y0, %e : i32 loc("rt")
  %ring = hopper.alloc_ring "auto" {offset = 0 : i64} : !hopper.ring<1, 64x64xbf16>
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    scf.for %i = %x to %y step %c1 : i32 {
    }
  }
}

// Tests that a name is free again after its scope and not taken twice within it; that the plan's words are kept; and
// that a second kernel starts afresh, but for the names of the file.
// CHECK: __global__ void __launch_bounds__(scopes_plan::threads, 1)
// CHECK-NEXT: scopes_kernel_2(const int stages_2, const int shape_2) {
// CHECK: for (int k = 0; k < stages_2; ++k) {
// CHECK: for (int k_2 = 0; k_2 < shape_2; ++k_2) {
// CHECK: for (int k = 0; k < stages_2; ++k) {
// CHECK: const int shared_2 = stages_2 + 1;
// CHECK: extern "C" tk_status scopes(int32_t stages_2, int32_t shape_2, tk_stream stream) {
hopper.kernel @scopes(%n: i32 {tk.name = "stages"}, %m: i32 {tk.name = "shape"}) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
    "scf.for"(%c0, %n, %c1) ({
    ^bb0(%i: i32 loc("k")):
      "scf.for"(%c0, %m, %c1) ({
      ^bb0(%j: i32 loc("k")):
        scf.yield
      }) : (i32, i32, i32) -> ()
      scf.yield
    }) : (i32, i32, i32) -> ()
    "scf.for"(%c0, %n, %c1) ({
    ^bb0(%i: i32 loc("k")):
      %s = arith.addi %n, %c1 : i32 loc("shared")
      %b = arith.cmpi sgt, %i, %s : i32
      scf.if %b {}
      scf.yield
    }) : (i32, i32, i32) -> ()
  }
}

// CHECK: tk_status scopes_kernel(tk_stream stream) {
hopper.kernel @scopes_kernel() attributes {threads = 128 : i64} {
  hopper.role consumer warpgroups 1 {
  ^bb0(%consumer: i32):
  }
}
