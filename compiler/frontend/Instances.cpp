//===- Instances.cpp - Which kernels of a file are compiled ---------------===//
#include "frontend/Instances.h"

#include "frontend/ClangAst.h"
#include "frontend/Messages.h"

#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateDeduction.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;
using namespace tkc;

std::string tkc::instantiationLine(llvm::StringRef text) {
  text = text.trim();
  if (text.empty() || !(llvm::isAlpha(text[0]) || text[0] == '_') ||
      text.find_first_of("\n\r;{}\\\"'#/") != llvm::StringRef::npos)
    return {};
  std::string name;
  for (char c : text) {
    if (c == ' ' || c == '>')
      continue;
    if (c == '-')
      name += 'm';
    else
      name += llvm::isAlnum(c) ? c : '_';
  }
  return ("instantiate(" + name + ", " + text + ");\n").str();
}

namespace {
class InstanceFinder {
public:
  InstanceFinder(Sema &sema, Vocabulary &language) : sema(sema), language(language) {}

  void visit(const DeclContext *scope);
  void add(const FunctionDecl *kernel, std::string name, SourceLocation place);

  llvm::SmallVector<Instance> instances;
  llvm::SmallSetVector<const FunctionTemplateDecl *, 4> needArguments; // without a default instance
  llvm::SmallPtrSet<const FunctionTemplateDecl *, 4> used;             // by some instance
  bool failed = false;

private:
  void visitTemplate(FunctionTemplateDecl *decl);
  void visitInstance(const VarDecl *decl);

  Sema &sema;
  Vocabulary &language;
  llvm::StringMap<SourceLocation> names;
};
} // namespace

/// "BM = 128, BN = 256", or with `values` alone "128, 256".
static std::string templateArguments(const FunctionDecl *function, bool withNames) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const TemplateArgumentList *arguments = function->getTemplateSpecializationArgs();
  if (!arguments)
    return text;
  PrintingPolicy policy = function->getASTContext().getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  policy.SuppressScope = withNames; // a person reads "bf16", C++ wants "tk::bf16"
  const TemplateParameterList *parameters = function->getPrimaryTemplate()->getTemplateParameters();
  for (unsigned i = 0; i < arguments->size(); ++i) {
    stream << (i ? ", " : "");
    if (withNames)
      stream << parameters->getParam(i)->getName() << " = ";
    arguments->get(i).print(policy, stream, /*IncludeType=*/false);
  }
  return text;
}

/// The first template parameter that needs an argument; null if the template has an instance at its
/// defaults.
static const NamedDecl *firstWithoutDefault(const FunctionTemplateDecl *kernel) {
  for (const NamedDecl *parameter : *kernel->getTemplateParameters()) {
    if (parameter->isParameterPack())
      continue;
    bool hasDefault = false;
    if (auto *value = dyn_cast<NonTypeTemplateParmDecl>(parameter))
      hasDefault = value->hasDefaultArgument();
    else if (auto *type = dyn_cast<TemplateTypeParmDecl>(parameter))
      hasDefault = type->hasDefaultArgument();
    else if (auto *inner = dyn_cast<TemplateTemplateParmDecl>(parameter))
      hasDefault = inner->hasDefaultArgument();
    if (!hasDefault)
      return parameter;
  }
  return nullptr;
}

void InstanceFinder::add(const FunctionDecl *kernel, std::string name, SourceLocation place) {
  DiagnosticsEngine &engine = sema.getDiagnostics();
  const FunctionDecl *definition = nullptr;
  if (!kernel->isDefined(definition) || !definition->hasBody()) {
    report(engine, kernel->getLocation(), Message::kernel_without_body) << kernel;
    failed = true;
    return;
  }
  if (const FunctionTemplateDecl *primary = definition->getPrimaryTemplate())
    used.insert(primary->getCanonicalDecl());
  auto [entry, isNew] = names.try_emplace(name, place);
  if (!isNew) {
    report(engine, place, Message::instance_name_twice) << name;
    report(engine, entry->second, Message::note_first_instance) << name;
    failed = true;
    return;
  }
  std::string spelling = definition->getQualifiedNameAsString();
  if (definition->getTemplateSpecializationArgs())
    spelling.append("<").append(templateArguments(definition, false)).append(">");
  instances.push_back({definition, name, templateArguments(definition, true), spelling});
}

void InstanceFinder::visitTemplate(FunctionTemplateDecl *decl) {
  if (!decl->isThisDeclarationADefinition())
    return;
  if (firstWithoutDefault(decl)) {
    needArguments.insert(decl);
    return;
  }
  FunctionDecl *atDefaults = nullptr;
  sema::TemplateDeductionInfo info(decl->getLocation());
  if (sema.DeduceTemplateArguments(decl, nullptr, atDefaults, info, true) !=
      TemplateDeductionResult::Success) {
    report(sema.getDiagnostics(), decl->getLocation(), Message::no_default_instance) << decl;
    failed = true;
    return;
  }
  sema.InstantiateFunctionDefinition(decl->getLocation(), atDefaults, /*Recursive=*/true,
                                     /*DefinitionRequired=*/true);
  if (sema.getDiagnostics().hasErrorOccurred())
    failed = true;
  else
    add(atDefaults, decl->getNameAsString(), decl->getLocation());
}

void InstanceFinder::visitInstance(const VarDecl *decl) {
  const Expr *init = decl->getInit();
  if (!init)
    return;
  const Expr *address = init->IgnoreParenImpCasts();
  const FunctionDecl *function = nullptr;
  if (auto *addressOf = dyn_cast<UnaryOperator>(address))
    if (auto *reference = dyn_cast<DeclRefExpr>(addressOf->getSubExpr()->IgnoreParenImpCasts()))
      function = dyn_cast<FunctionDecl>(reference->getDecl());
  SourceLocation place = sema.getSourceManager().getExpansionLoc(decl->getLocation());
  if (!function || !language.isKernel(function)) {
    report(sema.getDiagnostics(), place, Message::instance_of_no_kernel);
    failed = true;
    return;
  }
  llvm::StringRef name = decl->getName();
  name.consume_front("instance_");
  add(function, name.str(), place);
}

void InstanceFinder::visit(const DeclContext *scope) {
  for (Decl *decl : scope->decls()) {
    if (language.isInHeader(decl))
      continue;
    if (auto *inner = dyn_cast<DeclContext>(decl);
        inner && (isa<NamespaceDecl>(decl) || isa<LinkageSpecDecl>(decl))) {
      visit(inner);
      continue;
    }
    if (auto *record = dyn_cast<CXXRecordDecl>(decl)) {
      for (const CXXMethodDecl *method : record->methods())
        if (language.isKernel(method)) {
          report(sema.getDiagnostics(), method->getLocation(), Message::kernel_member) << method;
          failed = true;
        }
      continue;
    }
    if (auto *variable = dyn_cast<VarDecl>(decl)) {
      if (language.find(variable) == Word::instance)
        visitInstance(variable);
      continue;
    }
    if (auto *function = dyn_cast<FunctionDecl>(decl)) {
      // A declaration alone belongs to a definition further down, or to another file.
      if (language.isKernel(function) && !function->isTemplateInstantiation() &&
          (function->isThisDeclarationADefinition() || !function->isDefined()))
        add(function, function->getNameAsString(), function->getLocation());
      continue;
    }
    if (auto *function = dyn_cast<FunctionTemplateDecl>(decl))
      if (language.isKernel(function->getTemplatedDecl()))
        visitTemplate(function);
  }
}

llvm::SmallVector<Instance> tkc::findInstances(Sema &sema, Vocabulary &language,
                                               llvm::StringRef fileName) {
  InstanceFinder finder(sema, language);
  finder.visit(sema.getASTContext().getTranslationUnitDecl());
  if (finder.failed)
    return {};
  DiagnosticsEngine &engine = sema.getDiagnostics();
  for (const FunctionTemplateDecl *kernel : finder.needArguments) {
    if (finder.used.contains(kernel->getCanonicalDecl()))
      continue;
    report(engine, kernel->getLocation(),
           finder.instances.empty() ? Message::kernel_without_instance
                                    : Message::kernel_not_compiled)
        << kernel;
    const NamedDecl *parameter = firstWithoutDefault(kernel);
    report(engine, parameter->getLocation(), Message::note_no_default) << parameter;
  }
  if (finder.instances.empty() && finder.needArguments.empty()) {
    SourceManager &sources = sema.getSourceManager();
    report(engine, sources.getLocForStartOfFile(sources.getMainFileID()), Message::no_kernel)
        << fileName;
  }
  return std::move(finder.instances);
}
