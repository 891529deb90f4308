//===- OwnDeclarations.cpp - clang-tidy on our declarations alone ---------===//
//
// clang-tidy matches every declaration of a file, and throws away its findings in
// headers of the system. Of a file of the compiler nearly all declarations are MLIR's:
// three quarters of its time. This module has a check that finds nothing, but matches
// the file itself, before what is in it, and leaves the rest of MLIR out. tools/check
// builds it and loads it into clang-tidy.
//
//===----------------------------------------------------------------------===//
#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace {
class OwnDeclarations : public tidy::ClangTidyCheck {
public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder *finder) override {
    finder->addMatcher(translationUnitDecl().bind("file"), this);
  }

  void check(const MatchFinder::MatchResult &result) override {
    const SourceManager &sources = *result.SourceManager;
    std::vector<Decl *> own;
    for (Decl *declaration : result.Context->getTranslationUnitDecl()->decls())
      if (declaration->getLocation().isValid() &&
          !sources.isInSystemHeader(declaration->getLocation()))
        own.push_back(declaration);
    result.Context->setTraversalScope(own);
  }
};

class OwnModule : public tidy::ClangTidyModule {
  void addCheckFactories(tidy::ClangTidyCheckFactories &factories) override {
    factories.registerCheck<OwnDeclarations>("tkc-own-declarations");
  }
};
} // namespace

static tidy::ClangTidyModuleRegistry::Add<OwnModule> ownModule("tkc-module", "clang-tidy on tkc");
