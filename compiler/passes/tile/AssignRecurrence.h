//===- AssignRecurrence.h - Loops whose carried tiles are a role ----------===//
#ifndef TKC_PASSES_ASSIGNRECURRENCE_H
#define TKC_PASSES_ASSIGNRECURRENCE_H

#include "dialect/tk/Reducer.h"

namespace tkc {

/// Marks, in a loop that carries tiles, the work that these do not depend on (dialect/tk/Reducer.h)
/// and gives it to two warpgroups on alternate iterations. Decides on scanner warps, too, whose
/// vectors both roles read. Returns false, and changes nothing, where the kernel has no such loop,
/// or its roles do not fit the registers.
bool assignRecurrence(tk::KernelOp kernel);

} // namespace tkc

#endif // TKC_PASSES_ASSIGNRECURRENCE_H
