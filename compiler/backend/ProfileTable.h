//===- ProfileTable.h - The meaning of a profiled kernel's records --------===//
//
// tkc --profile writes it beside the .cu, as NAME.profile.json. It has the number
// that the text carries in its records, each kernel's streams, and for each number
// of a record what the line table says of its statement.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_PROFILETABLE_H
#define TKC_BACKEND_PROFILETABLE_H

#include "backend/LineTable.h"

namespace tkc {

/// The table of `cuda`, the text whose lines `lines` has.
void printProfileTable(const LineTable &lines, llvm::StringRef cuda, const EmitOptions &options,
                       llvm::StringRef cudaName, llvm::raw_ostream &os);

} // namespace tkc

#endif // TKC_BACKEND_PROFILETABLE_H
