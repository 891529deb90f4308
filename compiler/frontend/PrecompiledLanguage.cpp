//===- PrecompiledLanguage.cpp - The language header, parsed at build time ===//
//
// Parsing the language header takes half of the time that tkc takes for a short
// kernel. Clang compares times of files with those in a PCH, which a package does
// not keep; so the text is compared here, and Clang is told to trust it.
//
//===----------------------------------------------------------------------===//
#include "frontend/PrecompiledLanguage.h"

#include "frontend/CompileFlags.h"

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace tkc;

/// The paths of a folder's headers, in the order of their names.
static std::vector<std::string> headersOf(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator each(folder, error), end; each != end && !error;
       each.increment(error))
    if (StringRef(each->path()).ends_with(".h"))
      paths.push_back(each->path());
  sort(paths);
  return paths;
}

/// Changes whenever a header does, Clang, or the flags: Clang refuses a PCH of other flags. Null if
/// a header cannot be read.
static std::optional<std::string> hashOf(ArrayRef<std::string> headers) {
  std::string text =
      clang::getClangFullVersion() + join(parserFlags(/*folder=*/"", /*pch=*/""), " ");
  for (const std::string &path : headers) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
    if (!file)
      return std::nullopt;
    text += '\0' + sys::path::filename(path).str() + '\0';
    text += (*file)->getBuffer();
  }
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(text));
  return utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

std::string tkc::findPrecompiledLanguage(const std::string &languageFolder, InputFiles &inputs) {
  SmallString<128> pch = sys::path::parent_path(sys::path::parent_path(programPath()));
  sys::path::append(pch, "lib", "tkc", "language.pch");
  ErrorOr<std::unique_ptr<MemoryBuffer>> hash = MemoryBuffer::getFile(pch + ".hash");
  if (!hash || !sys::fs::exists(pch))
    return {};
  const std::vector<std::string> headers = headersOf(languageFolder);
  std::optional<std::string> now = hashOf(headers);
  if (!now || (*hash)->getBuffer() != *now)
    return {};
  for (const std::string &header : headers)
    inputs.add(header);
  return pch.str().str();
}

bool tkc::precompileLanguage(const std::string &output) {
  const std::string folder = languageFolder();
  const std::vector<std::string> flags = parserFlags(folder, /*pch=*/"");
  SmallVector<const char *> arguments;
  for (const std::string &flag : flags)
    arguments.push_back(flag.c_str());
  clang::CompilerInstance compiler;
  compiler.createDiagnostics();
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, compiler.getDiagnostics()))
    return false;
  // Names of files in it are relative to the folder, wherever that is installed.
  invocation->getHeaderSearchOpts().Sysroot = folder;
  invocation->getPreprocessorOpts().Includes.clear();
  clang::FrontendOptions &frontend = invocation->getFrontendOpts();
  frontend.RelocatablePCH = true;
  frontend.IncludeTimestamps = false;
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  frontend.OutputFile = output;
  frontend.Inputs = {clang::FrontendInputFile(folder + "/tk.h",
                                              clang::InputKind(clang::Language::CXX).getHeader())};

  compiler.setInvocation(invocation);
  clang::GeneratePCHAction action;
  if (!compiler.ExecuteAction(action))
    return false;
  std::optional<std::string> hash = hashOf(headersOf(folder));
  Error error = hash ? writeToOutput(output + ".hash",
                                     [&](raw_ostream &to) {
                                       to << *hash;
                                       return Error::success();
                                     })
                     : createStringError("a header of '" + folder + "' cannot be read");
  if (!error)
    return true;
  WithColor::error(errs(), "tkc") << "no hash of '" << output << "': " << toString(std::move(error))
                                  << "\n";
  return false;
}
