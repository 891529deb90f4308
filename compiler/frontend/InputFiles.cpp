//===- InputFiles.cpp - Which files were read, and which may be -----------===//
//
// A layer between Clang and the machine's files, because Clang opens what an
// #include, #embed or __has_include names before any callback is asked about it.
//
//===----------------------------------------------------------------------===//
#include "frontend/InputFiles.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;
using namespace tkc;

/// Sixteen times the longest source: tables and the headers of large libraries are shorter.
static constexpr uint64_t longestIncludedFile = 16 << 20;

void InputFiles::add(StringRef name, const sys::fs::UniqueID &id) {
  names.try_emplace(id, name.str());
}

void InputFiles::add(StringRef name) {
  sys::fs::file_status status;
  if (!sys::fs::status(name, status) && sys::fs::is_regular_file(status))
    add(name, status.getUniqueID());
}

std::optional<StringRef> InputFiles::find(const sys::fs::UniqueID &id) const {
  auto found = names.find(id);
  return found == names.end() ? std::nullopt : std::optional<StringRef>(found->second);
}

//===----------------------------------------------------------------------===//
// Files that are not read
//===----------------------------------------------------------------------===//

namespace {
enum class FileRefusal { NotRegular = 1, TooLong };

/// Clang prints the message of an error code after the name of the file.
class FileRefusalCategory : public std::error_category {
public:
  const char *name() const noexcept override { return "tkc"; }
  std::string message(int refusal) const override {
    if (refusal == int(FileRefusal::NotRegular))
      return "it is not a regular file";
    return "it is longer than " + std::to_string(longestIncludedFile) +
           " bytes, the most an included file may have";
  }
};

class RefusedFile : public vfs::File {
public:
  RefusedFile(vfs::Status info, std::error_code why) : info(std::move(info)), why(why) {}

  ErrorOr<vfs::Status> status() override { return info; }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &, int64_t, bool, bool) override {
    return why;
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status info;
  std::error_code why;
};

class SafeFileSystem : public vfs::ProxyFileSystem {
public:
  explicit SafeFileSystem(InputFiles &inputs)
      : ProxyFileSystem(vfs::getRealFileSystem()), inputs(inputs) {}

  ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const Twine &path) override {
    ErrorOr<vfs::Status> info = status(path);
    if (!info)
      return info.getError();
    if (std::error_code why = whyRefused(*info))
      return std::make_unique<RefusedFile>(*info, why);
    auto file = ProxyFileSystem::openFileForRead(path);
    if (file && info->isRegularFile())
      inputs.add(path.str(), info->getUniqueID());
    return file;
  }

private:
  InputFiles &inputs;
};
} // namespace

std::error_code tkc::whyRefused(const vfs::Status &info) {
  static const FileRefusalCategory category;
  if (info.isDirectory()) // Clang knows what to say of it
    return {};
  if (!info.isRegularFile())
    return {int(FileRefusal::NotRegular), category};
  if (info.getSize() > longestIncludedFile)
    return {int(FileRefusal::TooLong), category};
  return {};
}

IntrusiveRefCntPtr<vfs::FileSystem> tkc::makeSafeFileSystem(InputFiles &inputs) {
  return makeIntrusiveRefCnt<SafeFileSystem>(inputs);
}
