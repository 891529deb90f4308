//===- Names.cpp - Unique names in emitted C++ ----------------------------===//
#include "backend/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tkc::backend;

// Words of C++20 (C++17's and those that host compilers already warn about), of CUDA and of the C
// library that an identifier in emitted code may not be.
static constexpr StringLiteral languageWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline",
    "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
    "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq", "int32_t", "int64_t", "uint32_t", "uint64_t", "main", "restrict",
    // CUDA
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "min", "max", "dim3", "CUtensorMap",
    "INFINITY", "NAN", "INT_MIN", "INT_MAX", "NULL",
    // math.h
    "fminf", "fmaxf", "fabsf", "floorf", "ceilf", "fmaf", "expf", "logf", "log2f", "tanhf", "sinf",
    "cosf", "erff", "powf"};

// The names of the runtime that emitted code spells. All runtime names of the form tk_* are taken
// too.
static constexpr StringLiteral runtimeWords[] = {
    // types and constants
    "tk", "host", "arguments", "tensor_maps", "launch_shape", "bf16", "f16", "gl", "rt", "st",
    "warp_rt", "swizzle", "cache_policy", "swizzle_32", "swizzle_64", "swizzle_128", "barrier",
    "ring_cursor", "shared_ring", "shared_ring_with_ones", "vector_ring", "barrier_ring",
    "output_map", "element", "col_vec", "row_vec", "warp_col_vec",
    // functions
    "launch", "ceil_div", "block_tile", "tile_queue", "tile_counter", "longest_first",
    "persistent_tiles", "persistent_tiles_grouped", "rows_of", "shared_memory_base",
    "warpgroup_index", "warp_index", "lane_index", "elect_one", "setmaxnreg_dec", "setmaxnreg_inc",
    "fence_mbarrier_init", "fence_proxy_async", "named_barrier_sync", "named_barrier_arrive",
    "griddepcontrol_wait", "griddepcontrol_launch_dependents", "tma_load", "tma_store",
    "tma_store_add", "store_row_ends", "add_row_ends", "hold", "renew", "bulk_commit", "bulk_wait",
    "bulk_wait_read", "load", "load_element", "copy_element", "store", "gather", "mma", "mma_AB",
    "mma_ABt", "mma_AtB", "mma_AtBt", "wgmma", "wgmma_fence", "wgmma_commit", "wgmma_wait", "pack",
    "convert", "map", "map_at", "random_at", "rounded", "column", "concat_columns", "even_columns",
    "odd_columns", "interleave_columns", "scan", "ex2", "lg2", "rcp", "reciprocal", "divide",
    "add_rn", "sub_rn", "rsqrt_approx", "sqrt_approx", "tanh_approx", "sin_approx", "cos_approx",
    "arrived", "row_max", "row_min", "row_sum", "row_product", "col_max", "col_min", "col_sum",
    "col_product", "partial_row_max", "partial_row_min", "partial_row_sum", "partial_row_product",
    "finish_row_max", "finish_row_min", "finish_row_sum", "finish_row_product", "any_row",
    "any_large"};

bool Names::isReserved(StringRef word) {
  static const StringSet<> words = [] {
    StringSet<> set;
    for (StringLiteral known : languageWords)
      set.insert(known);
    for (StringLiteral known : runtimeWords)
      set.insert(known);
    return set;
  }();
  return words.contains(word) || word.starts_with("tk_") || word.starts_with("TK_");
}

bool Names::isTaken(StringRef name) const {
  return isReserved(name) ||
         llvm::any_of(scopes, [&](const StringSet<> &scope) { return scope.contains(name); });
}

std::string Names::take(StringRef wanted) {
  // IR written by hand may hold names that are no identifiers; what begins with '_' is the
  // implementation's.
  std::string base;
  for (char c : wanted)
    base += isAlnum(c) || c == '_' ? c : '_';
  if (base.empty() || isDigit(base.front()) || base.front() == '_')
    base.insert(0, "v");

  std::string name = base;
  for (unsigned i = 2; isTaken(name); ++i)
    name = base + "_" + utostr(i);
  scopes.back().insert(name);
  return name;
}
