//===- HopperModel.h - The numbers of HopperModel.def, as constants -------===//
#ifndef TKC_TARGET_HOPPERMODEL_H
#define TKC_TARGET_HOPPERMODEL_H

#include <cstdint>

namespace tkc::hopper {

#define TKC_RATE(name, type, value, source) inline constexpr type name = value;
#define TKC_FIT(name, type, value, run, meaning) inline constexpr type name = value;
#include "target/HopperModel.def"

} // namespace tkc::hopper

#endif // TKC_TARGET_HOPPERMODEL_H
