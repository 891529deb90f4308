//===- Vocabulary.cpp - Which declarations are words of the language --------===//
#include "frontend/Vocabulary.h"

#include "frontend/ClangAst.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace tkc;

static std::optional<Word> wordOfAnnotation(llvm::StringRef annotation) {
  if (!annotation.consume_front("tk."))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Word>>(annotation)
#define TKC_WORD(name) .Case(#name, Word::name)
#include "frontend/Words.def"
      .Default(std::nullopt);
}

/// The declaration as the header wrote it, which carries the annotation.
static const Decl *writtenDecl(const Decl *decl) {
  if (auto *function = dyn_cast<FunctionDecl>(decl))
    if (const FunctionDecl *pattern = function->getTemplateInstantiationPattern())
      decl = pattern;
  if (auto *specialization = dyn_cast<ClassTemplateSpecializationDecl>(decl))
    decl = specialization->getSpecializedTemplate()->getTemplatedDecl();
  return decl->getCanonicalDecl();
}

bool Vocabulary::isInHeader(const Decl *decl) const {
  SourceLocation place = sources.getExpansionLoc(decl->getLocation());
  OptionalFileEntryRef file = sources.getFileEntryRefForID(sources.getFileID(place));
  return file && llvm::sys::path::parent_path(file->getName()) == folder;
}

bool Vocabulary::isMarked(const Decl *decl) const {
  decl = writtenDecl(decl);
  return isInHeader(decl) &&
         llvm::any_of(decl->specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *annotation) {
           return annotation->getAnnotation().starts_with("tk.");
         });
}

std::optional<Word> Vocabulary::find(const Decl *decl) {
  if (!decl)
    return std::nullopt;
  decl = writtenDecl(decl);
  auto [entry, isNew] = known.try_emplace(decl);
  if (!isNew)
    return entry->second;
  // 'instance' is the one word whose declarations stand in the user's file.
  for (const auto *annotation : decl->specific_attrs<AnnotateAttr>())
    if (std::optional<Word> word = wordOfAnnotation(annotation->getAnnotation()))
      if (word == Word::instance || isInHeader(decl))
        entry->second = word;
  return entry->second;
}

std::optional<Word> Vocabulary::find(QualType type) {
  return type.isNull() ? std::nullopt : find(type.getNonReferenceType()->getAsCXXRecordDecl());
}

std::optional<Word> Vocabulary::findCallee(const Expr *call) {
  if (auto *function = dyn_cast<CallExpr>(call))
    return find(function->getCalleeDecl());
  if (auto *construct = dyn_cast<CXXConstructExpr>(call))
    return find(construct->getConstructor());
  return std::nullopt;
}

bool Vocabulary::isKernel(const FunctionDecl *function) {
  // An alias of the alias is a kernel too.
  for (QualType type = function->getReturnType();;) {
    auto *alias = type->getAs<TypedefType>();
    if (!alias)
      return false;
    if (find(alias->getDecl()) == Word::kernel)
      return true;
    type = alias->desugar();
  }
}
