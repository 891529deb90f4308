//===- BankConflicts.cpp - Bank-conflict analysis of an access ------------===//
#include "analysis/hazards/BankConflicts.h"

#include "analysis/protocol/BarrierRoles.h"
#include <set>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static constexpr int64_t banks = 32, bankBytes = 4, wavefrontBytes = banks * bankBytes;

int64_t tkc::countBankWays(ArrayRef<int64_t> addresses, int64_t bytes) {
  int64_t worst = 1;
  size_t lanes = wavefrontBytes / bytes;
  for (size_t first = 0; first < addresses.size(); first += lanes) {
    std::set<int64_t> words[banks]; // lanes that want the same word share it
    for (int64_t address : addresses.slice(first, std::min(lanes, addresses.size() - first)))
      for (int64_t word = address / bankBytes; word < (address + bytes) / bankBytes; ++word)
        words[word % banks].insert(word);
    for (const std::set<int64_t> &bank : words)
      worst = std::max<int64_t>(worst, bank.size());
  }
  return worst;
}

int64_t tkc::getSwizzledAddress(int64_t row, int64_t byte, int64_t rows, int64_t swizzle) {
  int64_t atom = byte / swizzle;
  int64_t address = (atom * rows + row) * swizzle + byte % swizzle;
  return address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// How the tile's ring is stored.
struct Storage {
  int64_t rows, rowBytes, swizzle;

  /// Vectors have no swizzle: their elements lie one after the other.
  int64_t at(int64_t row, int64_t byte) const {
    return swizzle ? getSwizzledAddress(row, byte, rows, swizzle) : row * rowBytes + byte;
  }
};
} // namespace

static std::optional<Storage> getStorage(Value tile) {
  Value value = BarrierRoles::getRing(tile);
  auto ring = value ? value.getDefiningOp<AllocRingOp>() : AllocRingOp();
  if (!ring || !ring.getSwizzle())
    return std::nullopt;
  RingType type = ring.getResult().getType();
  int64_t rowBytes = type.getCols() * tk::getStorageBits(type.getElementType()) / 8;
  return Storage{type.getRows(), rowBytes, int64_t(*ring.getSwizzle())};
}

// A swizzle repeats after eight rows, a multiple of the banks further on, and so does every
// swizzle-atom column: the first eight rows of the first swizzle-atom column tell how all others
// are.
static constexpr int64_t patternRows = 8;

static int64_t countPatternRows(const Storage &storage) {
  return std::min(storage.rows, patternRows);
}

static int64_t countPatternBytes(const Storage &storage) {
  bool isRepeated = storage.swizzle && storage.rows % patternRows == 0;
  return isRepeated ? std::min(storage.rowBytes, storage.swizzle) : storage.rowBytes;
}

/// Eight rows of 16 bytes, an 8x8 matrix of 16-bit elements: what stmatrix and ldmatrix move in a
/// wavefront, and what wgmma reads (PTX ISA, "wgmma: core matrices").
static int64_t countMatrixWays(const Storage &storage) {
  int64_t worst = 1;
  for (int64_t row = 0; row + 8 <= countPatternRows(storage); row += 8)
    for (int64_t byte = 0; byte + 16 <= countPatternBytes(storage); byte += 16) {
      SmallVector<int64_t> addresses;
      for (int64_t i = 0; i < 8; ++i)
        addresses.push_back(storage.at(row + i, byte));
      worst = std::max(worst, countBankWays(addresses, 16));
    }
  return worst;
}

/// TMA moves a swizzle-atom column's rows one after the other, 128 bytes in a wavefront; a vector
/// is one row.
static int64_t countBoxWays(const Storage &storage) {
  if (!storage.swizzle)
    return 1;
  int64_t worst = 1, rowsOfWavefront = wavefrontBytes / storage.swizzle;
  for (int64_t row = 0; row + rowsOfWavefront <= countPatternRows(storage);
       row += rowsOfWavefront) {
    SmallVector<int64_t> addresses;
    for (int64_t i = 0; i < rowsOfWavefront; ++i)
      for (int64_t byte = 0; byte < storage.swizzle; byte += 16)
        addresses.push_back(storage.at(row + i, byte));
    worst = std::max(worst, countBankWays(addresses, 16));
  }
  return worst;
}

/// Threads that hold a fragment of 4-byte elements store two neighbouring columns each: lane L has
/// row L / 4 and columns 2 * (L % 4). Where rows are swizzled over 128 bytes, those of odd rows
/// take the 64 bytes further on (runtime/hopper/tile/move.h, pair_rows).
static int64_t countFragmentWays(const Storage &storage) {
  int64_t worst = 1;
  bool isStaggered = storage.swizzle == 128 && storage.rowBytes % 128 == 0;
  for (int64_t row = 0; row + 8 <= countPatternRows(storage); row += 8)
    for (int64_t byte = 0; byte + 32 <= countPatternBytes(storage); byte += 32) {
      SmallVector<int64_t> addresses;
      for (int64_t lane = 0; lane < 32; ++lane)
        addresses.push_back(storage.at(row + lane / 4, byte + lane % 4 * 8) ^
                            (isStaggered && lane / 4 % 2 ? 64 : 0));
      worst = std::max(worst, countBankWays(addresses, 8));
    }
  return worst;
}

/// tile/reduce.h: a quad writes a group of eight columns, quad q those from 8 * q on; plain rows.
static int64_t countCrossWarpWays(int64_t cols) {
  SmallVector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32 && lane / 4 * 8 < cols; ++lane)
    addresses.push_back(lane / 4 * 32 + lane % 4 * 8);
  return countBankWays(addresses, 8);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static BankConflictAnalysis analyze(Operation *op, const SharedUse &use, const Storage &storage) {
  auto type = cast<SharedType>(use.tile.getType());
  bool isRead = use.access == Access::Read;
  switch (use.pattern) {
  case BankPattern::Box:
    return {op, use.tile, "TMA", countBoxWays(storage), "whole rows of a swizzle atom"};
  case BankPattern::Matrix:
    return {op, use.tile, "wgmma", countMatrixWays(storage), "8 rows of 16 bytes a wavefront"};
  case BankPattern::Fragment:
    if (tk::getStorageBits(type.getElementType()) == 16)
      return {op, use.tile, isRead ? "ldmatrix" : "stmatrix", countMatrixWays(storage),
              "8 rows of 16 bytes a wavefront"};
    return {op, use.tile, isRead ? "ld.shared.v2" : "st.shared.v2", countFragmentWays(storage),
            "half a warp, 8 bytes a lane"};
  case BankPattern::ColumnValues:
  case BankPattern::Unknown:
    break;
  }
  // A row of scratch memory holds a warp's value of each column.
  return {op, use.tile, "st.shared.v2", countCrossWarpWays(type.getCols()),
          "half a warp, 8 bytes a lane"};
}

SmallVector<BankConflictAnalysis, 2> tkc::analyzeBankConflicts(Operation *op) {
  SmallVector<BankConflictAnalysis, 2> analyses;
  for (const SharedUse &use : getSharedUses(op))
    if (std::optional<Storage> storage = getStorage(use.tile);
        storage && use.pattern != BankPattern::Unknown)
      analyses.push_back(analyze(op, use, *storage));
  return analyses;
}
