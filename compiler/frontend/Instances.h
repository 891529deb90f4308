//===- Instances.h - Which kernels of a file are compiled -----------------===//
//
// A kernel that is no template is compiled as it is, a template whose parameters
// all have defaults at its defaults. `instantiate(name, gemm<64, 128>)` adds one
// more, and `instantiate(name, gemm<64, 128>, gemm<128, 256>)` a function that
// chooses among several; --instantiate 'gemm<64, 128>' on the command line becomes such a line
// after the end of the file, so that Clang parses and checks it like the others.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_INSTANCES_H
#define TKC_FRONTEND_INSTANCES_H

#include "frontend/Vocabulary.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace clang {
class Sema;
}

namespace tkc {

struct Instance {
  const clang::FunctionDecl *function; // its definition
  std::string name;                    // of the exported C function: "gemm_64_128"
  std::string parameters;              // as a person reads them: "BM = 64, BN = 128"; may be empty
  std::string spelling;                // as C++ names it: "gemm<64, 128>"
};

/// A function that launches one of several instances.
struct Choice {
  std::string name;
  llvm::SmallVector<std::string> kernels; // names of instances
  clang::SourceLocation place;
};

struct Instances {
  llvm::SmallVector<Instance> kernels;
  llvm::SmallVector<Choice> choices;
};

/// The line that stands for `--instantiate 'gemm<64, 128>'`. Empty if the text is not a template
/// name with arguments.
std::string instantiationLine(llvm::StringRef text);

/// The kernels of the file, in order. Reports, and gives none, if there is a mistake or no kernel.
Instances findInstances(clang::Sema &sema, Vocabulary &language, llvm::StringRef fileName);

} // namespace tkc

#endif // TKC_FRONTEND_INSTANCES_H
