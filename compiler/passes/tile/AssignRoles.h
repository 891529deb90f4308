//===- AssignRoles.h - MMAs that run in a warpgroup of their own ----------===//
#ifndef TKC_PASSES_ASSIGNROLES_H
#define TKC_PASSES_ASSIGNROLES_H

#include "dialect/tk/Reducer.h"

namespace tkc {

/// Marks what the reducer does of the kernel's loops (dialect/tk/Reducer.h), and divides its MMAs
/// by columns until the registers of all roles fit the block's. Changes nothing where the kernel
/// has no such MMA, or its roles do not fit.
void assignRoles(tk::KernelOp kernel);

} // namespace tkc

#endif // TKC_PASSES_ASSIGNROLES_H
