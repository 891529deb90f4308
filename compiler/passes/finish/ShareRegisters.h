//===- ShareRegisters.h - One variable for tiles that follow one another --===//
#ifndef TKC_PASSES_SHAREREGISTERS_H
#define TKC_PASSES_SHAREREGISTERS_H

#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Makes tiles of one type that a loop's body makes one after the other, each when nobody needs the
/// one before any more, one variable (registersAttrName).
void shareRegisters(hopper::RoleOp role);

} // namespace tkc

#endif // TKC_PASSES_SHAREREGISTERS_H
