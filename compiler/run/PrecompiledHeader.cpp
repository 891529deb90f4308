//===- PrecompiledHeader.cpp - The headers of emulated kernels, parsed once ===//
#include "run/PrecompiledHeader.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

/// From its root, as emitted text includes headers: a relative name alone could be a file of the
/// user's.
static constexpr StringLiteral header = "emulator/kernel_headers.h";

/// Whether nothing is newer that make's rule in `rule` names. A folder with a space in its name is
/// not found, so nothing is taken from there.
static bool isCurrent(const Twine &precompiled, const Twine &rule) {
  sys::fs::file_status made;
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(rule, /*IsText=*/true);
  if (!text || sys::fs::status(precompiled, made))
    return false;
  SmallVector<StringRef> files;
  SplitString((*text)->getBuffer().split(": ").second, files, " \\\n");
  return !files.empty() && all_of(files, [&](StringRef file) {
    sys::fs::file_status read;
    return !sys::fs::status(file, read) &&
           read.getLastModificationTime() <= made.getLastModificationTime();
  });
}

static bool isWrittenByTkc(StringRef source) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(source, /*IsText=*/true);
  return text && (*text)->getBuffer().starts_with("// Written by tkc ");
}

std::vector<std::string> tkc::run::precompiledKernelHeaders(StringRef folder, StringRef source) {
  const std::string precompiled = (folder + "/" + header + ".gch").str();
  if (!isWrittenByTkc(source) || !isCurrent(precompiled, precompiled + ".d"))
    return {};
  return {"-fPIC", "-I", folder.str(), "-include", header.str()};
}
