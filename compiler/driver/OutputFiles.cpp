//===- OutputFiles.cpp - All outputs of a run are written, or none --------===//
//
// Every output is first written whole to a temporary file in its folder: this is
// where a disk turns out to be full. Then all of them are renamed into place.
//
// A rename is atomic, several are not. So the older files are put aside first, the
// main one before the others, and the new main one comes last: whoever opens the
// .cu never finds it beside the header of another run. If a rename fails, those
// before it are undone. All of it is done by a child in a session of its own, which
// goes on if tkc is killed meanwhile.
//
// There is no fsync: after a crash of the machine a build starts again.
//
//===----------------------------------------------------------------------===//
#include "driver/OutputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace tkc;

static std::error_code lastError() { return {errno, std::generic_category()}; }

static Error cannotWrite(StringRef path, const Twine &why) {
  return createStringError("cannot write '" + path + "': " + why);
}
static Error cannotWrite(StringRef path, std::error_code why) {
  return cannotWrite(path, why.message());
}

namespace {
/// While it lives, interrupts wait.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsWait() { sigprocmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};
} // namespace

/// Writes to a stream, and says what the stream would otherwise die of: a full disk.
static std::error_code writeStream(raw_fd_ostream &stream, StringRef text) {
  stream << text;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

//===----------------------------------------------------------------------===//
// Before anything is written
//===----------------------------------------------------------------------===//

namespace {
/// A regular file that takes the place of an older one, if there is one.
struct Replacement {
  const OutputFile *file;
  std::string path;      // without links
  std::string temporary; // holds the whole text
  std::string older;     // where the older file waits, if there is one
  mode_t mode = 0;       // of the older file
};
} // namespace

static bool isSpecial(const sys::fs::file_status &status) {
  return !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

bool tkc::isWrittenInPlace(const std::string &path) {
  sys::fs::file_status status;
  return path == "-" || (!sys::fs::status(path, status) && isSpecial(status));
}

/// Where a link leads whose end does not exist yet, so that the link stays.
static Expected<std::string> followLinks(const std::string &path) {
  SmallString<128> place(path);
  for (unsigned links = 0; sys::fs::is_symlink_file(place); ++links) {
    if (links == 40) // as the kernel counts them
      return cannotWrite(path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
    char target[PATH_MAX];
    ssize_t length = readlink(place.c_str(), target, sizeof(target));
    if (length < 0)
      return cannotWrite(path, lastError());
    StringRef next(target, size_t(length));
    if (sys::path::is_absolute(next))
      place = next;
    else {
      sys::path::remove_filename(place);
      sys::path::append(place, next);
    }
  }
  return place.str().str();
}

/// Finds the file after links, and refuses one that must not be replaced.
static Expected<Replacement> find(const OutputFile &file, const InputFiles &inputs) {
  Replacement result{&file, file.path, {}, {}, 0};
  sys::fs::file_status status;
  if (sys::fs::status(file.path, status)) {
    Expected<std::string> path = followLinks(file.path);
    if (!path)
      return path.takeError();
    result.path = *path;
    return result;
  }
  if (sys::fs::is_directory(status))
    return cannotWrite(file.path, "it is a directory");
  if (std::optional<StringRef> input = inputs.find(status.getUniqueID()))
    return cannotWrite(
        file.path, "it is " +
                       (*input == file.path ? Twine("an input") : "the input '" + *input + "'") +
                       "; choose another name with -o or -MF");
  SmallString<128> real;
  if (std::error_code error = sys::fs::real_path(file.path, real))
    return cannotWrite(file.path, error);
  result.path = real.str();
  result.mode = status.permissions() & 07777;
  if (access(result.path.c_str(), W_OK) != 0)
    return cannotWrite(file.path, lastError());
  return result;
}

/// Whether two outputs would be one file.
static bool areSame(const Replacement &a, const Replacement &b) {
  auto folder = [](const Replacement &file) {
    StringRef parent = sys::path::parent_path(file.path);
    return parent.empty() ? StringRef(".") : parent;
  };
  return sys::path::filename(a.path) == sys::path::filename(b.path) &&
         sys::fs::equivalent(folder(a), folder(b));
}

static bool hasText(const Replacement &replacement) {
  uint64_t size;
  const std::string &text = replacement.file->text;
  if (sys::fs::file_size(replacement.path, size) || size != text.size())
    return false;
  auto buffer = MemoryBuffer::getFile(replacement.path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  return buffer && (*buffer)->getBuffer() == text;
}

//===----------------------------------------------------------------------===//
// The new files, beside the older ones
//===----------------------------------------------------------------------===//

static std::string nameBeside(StringRef path) {
  SmallString<128> name(sys::path::parent_path(path));
  sys::path::append(name, ".tkc-%%%%%%%%"); // short: the file's own name may be as long as any
  return name.str().str();
}

/// Writes the text to a file of its own. It does not stay after if the process is ended.
static Error writeTemporary(Replacement &replacement) {
  const OutputFile &file = *replacement.file;
  int descriptor;
  {
    SignalsWait wait; // until whoever is interrupted knows the file
    SmallString<128> name;
    if (std::error_code error = sys::fs::createUniqueFile(nameBeside(replacement.path), descriptor,
                                                          name, sys::fs::OF_None, 0666))
      return cannotWrite(file.path, error);
    replacement.temporary = name.str();
    sys::RemoveFileOnSignal(name);
  }
  std::error_code error;
  {
    raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
    error = writeStream(stream, file.text);
  }
  if (!error && replacement.mode && fchmod(descriptor, replacement.mode) != 0)
    error = lastError();
  if (close(descriptor) != 0 && !error) // a network's disk may be full only now
    error = lastError();
  return error ? cannotWrite(file.path, error) : Error::success();
}

static void removeTemporaries(ArrayRef<Replacement> replacements) {
  for (const Replacement &replacement : replacements) {
    if (replacement.temporary.empty())
      continue;
    unlink(replacement.temporary.c_str());
    sys::DontRemoveFileOnSignal(replacement.temporary);
  }
}

//===----------------------------------------------------------------------===//
// Into place
//===----------------------------------------------------------------------===//

namespace {
struct Rename {
  const Replacement *replacement;
  const std::string &from, &to;
};
/// The child's report of its work.
struct Failure {
  int rename = -1, error = 0; // the number of the rename that failed, if one did
};
} // namespace

/// Carries out all renames or none. Calls nothing that needs memory or locks: it runs in a child.
static Failure carryOut(ArrayRef<Rename> renames) {
  for (size_t i = 0; i < renames.size(); ++i) {
    if (rename(renames[i].from.c_str(), renames[i].to.c_str()) == 0)
      continue;
    Failure failure{int(i), errno};
    while (i-- > 0)
      rename(renames[i].to.c_str(), renames[i].from.c_str());
    return failure;
  }
  return {};
}

/// Carries them out in a child that a signal to this process, or to its group, does not reach.
static Failure carryOutInChild(ArrayRef<Rename> renames, ArrayRef<Replacement> replacements) {
  int answer[2];
  if (pipe(answer) != 0)
    return {0, errno};
  pid_t child = fork();
  if (child < 0) {
    Failure failure{0, errno};
    close(answer[0]);
    close(answer[1]);
    return failure;
  }
  if (child == 0) {
    setsid();
    Failure failure = carryOut(renames);
    for (const Replacement &replacement : replacements)
      unlink((failure.error ? replacement.temporary : replacement.older).c_str());
    // If nobody reads it any more, nobody needs it.
    [[maybe_unused]] ssize_t written = write(answer[1], &failure, sizeof(failure));
    _exit(0);
  }
  close(answer[1]);
  Failure failure;
  ssize_t count;
  while ((count = read(answer[0], &failure, sizeof(failure))) < 0 && errno == EINTR)
    ;
  close(answer[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  return count == sizeof(failure) ? failure : Failure{0, ECHILD};
}

/// Puts all new files in place of the older ones, or none.
static Error replaceAll(MutableArrayRef<Replacement> replacements) {
  SmallVector<Rename> renames;
  if (replacements.size() > 1)
    for (Replacement &replacement : replacements) {
      if (!sys::fs::exists(replacement.path))
        continue;
      SmallString<128> name;
      sys::fs::createUniquePath(nameBeside(replacement.path), name, /*MakeAbsolute=*/false);
      replacement.older = name.str();
      renames.push_back({&replacement, replacement.path, replacement.older});
    }
  for (const Replacement &replacement : reverse(replacements))
    renames.push_back({&replacement, replacement.temporary, replacement.path});

  Failure failure;
  {
    SignalsWait wait; // an interrupt would remove the temporary files
    failure = renames.size() > 1 ? carryOutInChild(renames, replacements) : carryOut(renames);
    if (!failure.error)
      for (const Replacement &replacement : replacements)
        sys::DontRemoveFileOnSignal(replacement.temporary);
  }
  if (!failure.error)
    return Error::success();
  return cannotWrite(renames[size_t(failure.rename)].replacement->file->path,
                     std::error_code(failure.error, std::generic_category()));
}

//===----------------------------------------------------------------------===//
// The outputs
//===----------------------------------------------------------------------===//

static Error writeInPlace(const OutputFile &file) {
  if (file.path == "-") {
    std::error_code error = writeStream(outs(), file.text);
    return error ? createStringError("cannot write to standard output: " + error.message())
                 : Error::success();
  }
  std::error_code error;
  raw_fd_ostream stream(file.path, error);
  if (!error)
    error = writeStream(stream, file.text);
  return error ? cannotWrite(file.path, error) : Error::success();
}

static Error writeAll(ArrayRef<OutputFile> outputs, const InputFiles &inputs,
                      SmallVectorImpl<Replacement> &replacements,
                      SmallVectorImpl<const OutputFile *> &unchanged) {
  SmallVector<Replacement> found;
  if (count_if(outputs, [](const OutputFile &file) { return file.path == "-"; }) > 1)
    return createStringError("two outputs would be standard output; name one with -o or -MF");
  for (const OutputFile &file : outputs) {
    if (isWrittenInPlace(file.path))
      continue;
    Expected<Replacement> replacement = find(file, inputs);
    if (!replacement)
      return replacement.takeError();
    for (const Replacement &other : found)
      if (areSame(*replacement, other))
        return cannotWrite(file.path,
                           "two outputs have this name; choose another one with -o or -MF");
    found.push_back(std::move(*replacement));
  }
  for (Replacement &replacement : found) {
    if (!replacement.file->isStamp && hasText(replacement)) {
      unchanged.push_back(replacement.file);
      continue;
    }
    replacements.push_back(std::move(replacement));
    if (Error error = writeTemporary(replacements.back()))
      return error;
  }
  for (const OutputFile &file : outputs)
    if (isWrittenInPlace(file.path))
      if (Error error = writeInPlace(file))
        return error;
  return replacements.empty() ? Error::success() : replaceAll(replacements);
}

bool tkc::writeOutputs(ArrayRef<OutputFile> outputs, const InputFiles &inputs, bool verbose) {
  SmallVector<Replacement> replacements;
  SmallVector<const OutputFile *> unchanged;
  if (Error error = writeAll(outputs, inputs, replacements, unchanged)) {
    removeTemporaries(replacements);
    WithColor::error(errs(), "tkc") << toString(std::move(error)) << "\n";
    return false;
  }
  for (const OutputFile &file : outputs)
    if (verbose && file.path != "-")
      WithColor::note(errs(), "tkc")
          << (is_contained(unchanged, &file) ? "unchanged: " : "wrote ") << file.path << "\n";
  return true;
}
