//===- Limits.cpp - Bounds on one file's demands on the parser ------------===//
#include "frontend/Limits.h"

#include "frontend/InputFiles.h"
#include "frontend/Messages.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;
using namespace tkc;

static constexpr unsigned mostTokens = 100'000;
static constexpr unsigned mostTokensOfStatement = 10'000; // each may be one level of nesting
static constexpr unsigned mostExpandedTokens = 1'000'000;

/// Clang's parser cannot be asked to stop, so we leave it the way LLVM provides for. Its memory
/// stays behind; the process is about to end.
[[noreturn]] static void stopParsing() {
  llvm::CrashRecoveryContext::GetCurrent()->HandleExit(stoppedByLimit);
}

bool tkc::checkTokens(CompilerInstance &compiler) {
  SourceManager &sources = compiler.getSourceManager();
  DiagnosticsEngine &engine = compiler.getDiagnostics();
  FileID file = sources.getMainFileID();
  Lexer lexer(file, sources.getBufferOrFake(file), sources, compiler.getLangOpts());
  unsigned tokens = 0, inStatement = 0;
  SourceLocation statement;
  Token token;
  while (!lexer.LexFromRawLexer(token)) {
    if (token.isOneOf(tok::semi, tok::l_brace, tok::r_brace))
      inStatement = 0;
    else if (inStatement++ == 0)
      statement = token.getLocation();
    if (inStatement > mostTokensOfStatement)
      return report(engine, statement, Message::statement_too_long) << mostTokensOfStatement, false;
    if (++tokens > mostTokens)
      return report(engine, token.getLocation(), Message::file_too_many_tokens) << mostTokens,
             false;
  }
  return true;
}

namespace {
/// Clang's own error about a file that is refused has no place.
class RefusedIncludes : public PPCallbacks {
public:
  explicit RefusedIncludes(CompilerInstance &compiler) : compiler(compiler) {}

  void InclusionDirective(SourceLocation, const Token &, llvm::StringRef name, bool,
                          CharSourceRange range, OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (!file)
      return;
    auto info = compiler.getVirtualFileSystem().status(file->getName());
    std::error_code why = info ? whyRefused(*info) : std::error_code();
    if (!why)
      return;
    report(compiler.getDiagnostics(), range.getBegin(), Message::cannot_read)
        << name << why.message();
    stopParsing();
  }

private:
  CompilerInstance &compiler;
};

class LimitedInstantiations : public TemplateInstantiationCallback {
public:
  explicit LimitedInstantiations(unsigned most) : most(most) {}

  void initialize(const Sema &) override {}
  void finalize(const Sema &) override {}
  void atTemplateBegin(const Sema &sema, const Sema::CodeSynthesisContext &context) override {
    // Whether a template fits a call is asked at each call, hundreds of times for an operator; what
    // an instance makes is made once. Only instances are bounded: those make instances.
    if (context.Kind != Sema::CodeSynthesisContext::TemplateInstantiation || ++count <= most)
      return;
    report(sema.getDiagnostics(), context.PointOfInstantiation, Message::too_many_instantiations)
        << most;
    stopParsing();
  }
  void atTemplateEnd(const Sema &, const Sema::CodeSynthesisContext &) override {}

private:
  unsigned most, count = 0;
};
} // namespace

void tkc::limitPreprocessor(CompilerInstance &compiler) {
  Preprocessor &preprocessor = compiler.getPreprocessor();
  preprocessor.addPPCallbacks(std::make_unique<RefusedIncludes>(compiler));
  preprocessor.setTokenWatcher(
      [&engine = compiler.getDiagnostics(), count = 0u](const Token &token) mutable {
        if (++count <= mostExpandedTokens)
          return;
        report(engine, token.getLocation(), Message::too_many_tokens) << mostExpandedTokens;
        stopParsing();
      });
}

void tkc::limitTemplates(Sema &sema, unsigned most) {
  if (most)
    sema.TemplateInstCallbacks.push_back(std::make_unique<LimitedInstantiations>(most));
}
