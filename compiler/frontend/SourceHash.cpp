//===- SourceHash.cpp - Whether a source is still the measured one --------===//
#include "frontend/SourceHash.h"

#include "frontend/Frontend.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

std::string tkc::hashSource(clang::SourceManager &sources, StringRef languageFolder) {
  SmallVector<std::pair<std::string, StringRef>> texts;
  for (const auto &[file, content] : make_range(sources.fileinfo_begin(), sources.fileinfo_end())) {
    if (file.getName().starts_with(languageFolder) || !content)
      continue;
    std::optional<StringRef> text = content->getBufferDataIfLoaded();
    if (!text)
      continue;
    texts.push_back({sys::path::filename(file.getName()).str(),
                     text->take_front(text->find(instantiationMarker))});
  }
  sort(texts);
  SHA256 hash;
  for (const auto &[name, text] : texts) {
    hash.update(name);
    hash.update(StringRef("\0", 1));
    hash.update(std::to_string(text.size()));
    hash.update(StringRef("\0", 1));
    hash.update(text);
  }
  return toHex(hash.final(), /*LowerCase=*/true);
}
