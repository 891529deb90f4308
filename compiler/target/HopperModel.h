//===- HopperModel.h - The numbers of HopperModel.def, as constants -------===//
#ifndef TKC_TARGET_HOPPERMODEL_H
#define TKC_TARGET_HOPPERMODEL_H

#include <cstdint>

namespace tkc::hopper {

#define TKC_RATE(name, type, value, source) inline constexpr type name = value;
#define TKC_FIT(name, type, value, run, meaning) inline constexpr type name = value;
#include "target/HopperModel.def"

/// Registers of a consumer's thread besides its tiles, without which it may spill: the compiler's
/// own choices leave them.
constexpr int64_t getRegistersBesideTiles(int64_t consumers) {
  return consumers >= 3 ? besideSmallTiles : besideTiles;
}

/// Registers per thread of each role, for one producer and some consumer warpgroups.
struct RegisterSplit {
  int64_t consumers;
  int64_t entry; ///< what every thread starts with
  int64_t producer;
  int64_t consumer;
};

inline constexpr RegisterSplit registerSplits[] = {
#define TKC_SPLIT(consumers, entry, producer, consumer) {consumers, entry, producer, consumer},
#include "target/HopperModel.def"
};

} // namespace tkc::hopper

#endif // TKC_TARGET_HOPPERMODEL_H
