//===- InputFiles.h - Which files were read, and which may be -------------===//
#ifndef TKC_FRONTEND_INPUTFILES_H
#define TKC_FRONTEND_INPUTFILES_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace llvm::vfs {
class FileSystem;
class Status;
} // namespace llvm::vfs

namespace tkc {

/// The files that a compilation has read: the source and what it includes, embeds or asks for.
class InputFiles {
public:
  /// Adds the file of this name, if it is a regular one.
  void add(llvm::StringRef name, const llvm::sys::fs::UniqueID &id);
  void add(llvm::StringRef name);

  /// The name under which a file was read, for two names may be links to one file.
  std::optional<llvm::StringRef> find(const llvm::sys::fs::UniqueID &id) const;

  /// The files that a make rule of the output names, in the order in which they were read.
  std::vector<std::string> dependencies;

private:
  std::map<llvm::sys::fs::UniqueID, std::string> names;
};

/// Why a file is not read; no error if it may be.
std::error_code whyRefused(const llvm::vfs::Status &info);

/// The machine's files as Clang may see them, noted in `inputs` when they are opened. A fifo would
/// block, a device may never end, and a sparse file of gigabytes costs nothing to make: of a file
/// that is refused, only its status can be read.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> makeSafeFileSystem(InputFiles &inputs);

} // namespace tkc

#endif // TKC_FRONTEND_INPUTFILES_H
