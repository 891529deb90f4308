//===- TkChoiceOp.h - A function that chooses among kernels ---------------===//
#ifndef TKC_DIALECT_TK_TKCHOICEOP_H
#define TKC_DIALECT_TK_TKCHOICEOP_H

#include "dialect/tk/Tk.h"

namespace tkc::tk {

/// Of a kernel of either dialect: the user's hint how many percent of the predicted speed it
/// reaches.
inline constexpr llvm::StringLiteral efficiencyAttrName = "tk.efficiency";

/// Of a kernel of either dialect: the instance as C++ names it, "gemm<64, 128>".
inline constexpr llvm::StringLiteral functionAttrName = "tk.function";

/// Of a tk.choice: what tkc tune measured, as driver/Tuned.cpp makes it: file, device, date, sms,
/// and rows of extents, choice, ms and default_ms.
inline constexpr llvm::StringLiteral tunedAttrName = "tk.tuned";

/// Of a tk.kernel: the user's hint that two warpgroups ping-pong over tiles of their own.
inline constexpr llvm::StringLiteral pingpongTilesAttrName = "tk.pingpong_tiles";

/// Of a kernel of either dialect: the user's hint of how many iterations L2 fetches a block's
/// first loads early.
inline constexpr llvm::StringLiteral prefetchAttrName = "tk.prefetch";

/// Of a tk.kernel: the user's hint how many persistent blocks an SM runs at once.
inline constexpr llvm::StringLiteral blocksPerSmAttrName = "tk.blocks_per_sm";

} // namespace tkc::tk

#define GET_OP_CLASSES
#include "dialect/tk/TkChoiceOp.h.inc"

#endif // TKC_DIALECT_TK_TKCHOICEOP_H
