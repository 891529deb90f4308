//===- Standalone.cpp - Emitted CUDA with the runtime in it ---------------===//
//
// For places where a file has to stand alone: a compiler in the browser, an issue,
// a build without tkc's runtime. A header's guard stays, and every file of ours is
// included at most once, so that the order of the text is that of the preprocessor.
//
//===----------------------------------------------------------------------===//
#include "backend/Standalone.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
class Inliner {
public:
  Inliner(StringRef headerName, StringRef header, StringRef runtimeFolder)
      : headerName(headerName), header(header), runtimeFolder(runtimeFolder) {}

  Error print(StringRef text, raw_ostream &os) {
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      text = rest;
      StringRef name = includedFile(line);
      if (name.empty() || !isOurs(name)) {
        os << line << "\n";
        continue;
      }
      if (!seen.insert(name).second)
        continue;
      if (Error error = printFile(name, os))
        return error;
    }
    return Error::success();
  }

private:
  StringRef headerName, header, runtimeFolder;
  llvm::StringSet<> seen;

  /// The text between the brackets or quotes of an #include; empty for other lines.
  static StringRef includedFile(StringRef line) {
    line = line.trim();
    if (!line.consume_front("#"))
      return {};
    line = line.ltrim();
    if (!line.consume_front("include"))
      return {};
    line = line.ltrim();
    if (line.consume_front("<"))
      return line.take_until([](char c) { return c == '>'; });
    if (line.consume_front("\""))
      return line.take_until([](char c) { return c == '"'; });
    return {};
  }

  /// In the order in which nvcc looks.
  std::string find(StringRef name) const {
    for (StringRef folder : {"/hopper/", "/"})
      if (std::string path = (runtimeFolder + folder + name).str(); sys::fs::exists(path))
        return path;
    return {};
  }

  bool isOurs(StringRef name) const { return name == headerName || !find(name).empty(); }

  Error printFile(StringRef name, raw_ostream &os) {
    if (name == headerName)
      return print(header, os);
    std::string path = find(name);
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
    if (!file)
      return createStringError("cannot read '" + path + "': " + file.getError().message());
    return print((*file)->getBuffer(), os);
  }
};
} // namespace

Expected<std::string> tkc::makeStandalone(StringRef cuda, StringRef headerName, StringRef header,
                                          StringRef runtimeFolder) {
  std::string text;
  raw_string_ostream os(text);
  if (Error error = Inliner(headerName, header, runtimeFolder).print(cuda, os))
    return error;
  return text;
}
