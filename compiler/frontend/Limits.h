//===- Limits.h - Bounds on one file's demands on the parser --------------===//
//
// Clang is built to read programs that people wrote: a file of nothing but '!'
// overflows its stack, and thirty short macros make it run for years. These
// bounds are far above any real kernel and stop such files with a message.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_LIMITS_H
#define TKC_FRONTEND_LIMITS_H

namespace clang {
class CompilerInstance;
class Sema;
} // namespace clang

namespace tkc {

/// The stack that parsing within these bounds may need.
inline constexpr unsigned parserStackBytes = 1u << 29;

/// The recovery context's code after a bound was passed; any other is a crash.
inline constexpr int stoppedByLimit = 1;

/// Checks the tokens of the main file. False after an error, which was reported.
bool checkTokens(clang::CompilerInstance &compiler);

/// Bounds what macros, included files and templates make of the main file. Past a bound it reports
/// an error and leaves the surrounding llvm::CrashRecoveryContext.
void limitPreprocessor(clang::CompilerInstance &compiler);
/// `most` templates are instantiated; 0 is no bound.
void limitTemplates(clang::Sema &sema, unsigned most);

} // namespace tkc

#endif // TKC_FRONTEND_LIMITS_H
