//===- OutputFiles.h - All outputs of a run are written, or none ----------===//
#ifndef TKC_DRIVER_OUTPUTFILES_H
#define TKC_DRIVER_OUTPUTFILES_H

#include "frontend/InputFiles.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tkc {

struct OutputFile {
  std::string path; // "-" is standard output
  std::string text;
  bool isStamp = false; // its time says when tkc ran, also if the text is the same
};

/// Writes all files or none, and says what went wrong. The first one is the main one, which names
/// or includes the others. A file whose text is the same is left alone. No file of `inputs` is
/// overwritten.
bool writeOutputs(llvm::ArrayRef<OutputFile> outputs, const InputFiles &inputs, bool verbose);

/// Whether this output cannot be replaced by a new file: standard output, a device or a pipe.
bool isWrittenInPlace(const std::string &path);

} // namespace tkc

#endif // TKC_DRIVER_OUTPUTFILES_H
