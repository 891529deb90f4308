//===- BankConflicts.h - Bank-conflict analysis of an access --------------===//
//
// Shared memory has 32 banks of 4 bytes. In one wavefront it serves 128 bytes: a whole
// warp of 4-byte accesses, half a warp of 8-byte ones, a quarter of 16-byte ones.
// Lanes of a wavefront that touch different words of one bank are served one after the
// other (CUDA C++ programming guide, "Shared Memory", compute capability 5.x and
// later). The analysis is done by computing the address of every lane of every
// wavefront and counting, not from a table: it holds for the layout that was chosen.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_BANKCONFLICTS_H
#define TKC_ANALYSIS_BANKCONFLICTS_H

#include "dialect/hopper/Hopper.h"
#include <optional>
#include <string>

namespace tkc {

struct BankConflictAnalysis {
  mlir::Operation *op = nullptr;
  mlir::Value tile;    ///< the tile accessed
  std::string how;     ///< "stmatrix", "wgmma", "TMA" ...
  int64_t ways = 1;    ///< how often the busiest bank is asked in one wavefront; 1 is conflict-free
  std::string pattern; ///< whose addresses were counted

  bool isFree() const { return ways == 1; }
};

/// The most often that one bank is asked for different words in one wavefront, for lanes that
/// access `bytes` (4, 8 or 16) each at these addresses, in lane order.
int64_t countBankWays(llvm::ArrayRef<int64_t> addresses, int64_t bytes);

/// Address of a byte of a row in a tile of `rows` rows that is stored in swizzle-atom columns of
/// `swizzle` bytes.
int64_t getSwizzledAddress(int64_t row, int64_t byte, int64_t rows, int64_t swizzle);

/// The analysis of all accesses of shared memory by `op`; none if it touches none.
mlir::SmallVector<BankConflictAnalysis, 2> analyzeBankConflicts(mlir::Operation *op);

} // namespace tkc

#endif // TKC_ANALYSIS_BANKCONFLICTS_H
