//===- Vocabulary.h - Which declarations are words of the language ----------===//
//
// The language header marks its declarations with annotations (TK_LANGUAGE in
// runtime/language/types.h). A word is recognised by the identity of what Clang
// resolved a name to, so overloads, shadowing and aliases mean what they mean in
// C++. An annotation outside the header's folder is not the language's.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_VOCABULARY_H
#define TKC_FRONTEND_VOCABULARY_H

#include "clang/AST/DeclBase.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace clang {
class Expr;
class FunctionDecl;
class QualType;
} // namespace clang

namespace tkc {

/// Every word of the language that the compiler must know.
enum class Word {
#define TKC_WORD(name) name,
#include "frontend/Words.def"
};

class Vocabulary {
public:
  /// `folder` is the directory of the language header.
  Vocabulary(const clang::SourceManager &sources, std::string folder)
      : sources(sources), folder(std::move(folder)) {}

  /// The word that a function, class or alias is; of a template's instance, that of the template.
  std::optional<Word> find(const clang::Decl *decl);

  /// The word of a class type, of a called function, of a constructor.
  std::optional<Word> find(clang::QualType type);
  std::optional<Word> findCallee(const clang::Expr *call);

  /// True if the language header marks the declaration, whether or not the compiler knows the word.
  bool isMarked(const clang::Decl *decl) const;

  /// True if `function` is written with the return type `kernel`.
  bool isKernel(const clang::FunctionDecl *function);

  /// True if the declaration is in the language header.
  bool isInHeader(const clang::Decl *decl) const;

private:
  const clang::SourceManager &sources;
  std::string folder;
  llvm::DenseMap<const clang::Decl *, std::optional<Word>> known;
};

} // namespace tkc

#endif // TKC_FRONTEND_VOCABULARY_H
