//===- TextOutput.cpp - The output of tk-opt and tk-translate -------------===//
//
// A stream of LLVM that meets a full disk ends the process when it is destroyed,
// unless it was asked before. MLIR's drivers do not ask.
//
//===----------------------------------------------------------------------===//
#include "driver/TextOutput.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

Error tkc::writeText(StringRef path, StringRef text) {
  std::string error;
  std::unique_ptr<ToolOutputFile> file = mlir::openOutputFile(path, &error);
  if (!file)
    return createStringError(error);
  raw_fd_ostream &stream = file->os();
  stream << text;
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    return createStringError("cannot write '" + path + "': " + code.message());
  }
  file->keep();
  return Error::success();
}
