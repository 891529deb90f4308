//===- DependencyFile.h - The inputs of an output, for make and ninja -----===//
#ifndef TKC_DRIVER_DEPENDENCYFILE_H
#define TKC_DRIVER_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tkc {

/// A make rule without a recipe: `target` depends on `inputs`. An error for a name that such a rule
/// cannot spell.
llvm::Expected<std::string> spellDependencies(const std::string &target,
                                              llvm::ArrayRef<std::string> inputs);

} // namespace tkc

#endif // TKC_DRIVER_DEPENDENCYFILE_H
