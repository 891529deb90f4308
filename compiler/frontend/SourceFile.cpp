//===- SourceFile.cpp - Reads the source file, and only a sane one --------===//
//
// Clang would take ten megabytes of noise and answer with pages of errors about
// it. A file that cannot be a .tk file is refused in one line instead, before parsing.
//
//===----------------------------------------------------------------------===//
#include "frontend/SourceFile.h"

#include "frontend/Messages.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace tkc;

/// Generated files included; the longest that people write is a hundredth of it.
static constexpr size_t longestFile = 1 << 20;

/// The first `longestFile` + 1 bytes.
static Expected<SmallString<0>> readStart(StringRef path) {
  sys::fs::file_t file = sys::fs::getStdinHandle();
  if (path != "-") {
    Expected<sys::fs::file_t> opened = sys::fs::openNativeFileForRead(path);
    if (!opened)
      return opened.takeError();
    file = *opened;
  }
  SmallString<0> text;
  text.resize_for_overwrite(longestFile + 1);
  size_t length = 0;
  Error error = Error::success();
  while (length < text.size()) {
    Expected<size_t> read = sys::fs::readNativeFile(
        file, MutableArrayRef<char>(text.data() + length, text.size() - length));
    if (!read)
      error = joinErrors(std::move(error), read.takeError());
    if (!read || *read == 0)
      break;
    length += *read;
  }
  if (path != "-")
    sys::fs::closeFile(file);
  if (error)
    return error;
  text.truncate(length);
  return text;
}

std::unique_ptr<MemoryBuffer> tkc::readSource(StringRef path, clang::DiagnosticsEngine &engine) {
  StringRef name = path == "-" ? "<stdin>" : path;
  auto report = [&](Message message) {
    return tkc::report(engine, clang::SourceLocation(), message) << name;
  };
  if (path != "-" && sys::fs::is_directory(path))
    return report(Message::file_is_directory), nullptr;
  Expected<SmallString<0>> text = readStart(path);
  if (!text) {
    report(Message::cannot_read) << StringRef(toString(text.takeError())).lower();
    return nullptr;
  }
  if (text->empty())
    return report(Message::file_empty), nullptr;
  if (text->size() > longestFile)
    return report(Message::file_too_long) << unsigned(longestFile), nullptr;
  size_t offset;
  if (!json::isUTF8(*text, &offset)) {
    report(Message::file_not_utf8)
        << ("0x" + utohexstr(uint8_t((*text)[offset]), /*LowerCase=*/true, 2))
        << unsigned(StringRef(*text).take_front(offset).count('\n') + 1);
    return nullptr;
  }
  return MemoryBuffer::getMemBufferCopy(*text, name);
}
