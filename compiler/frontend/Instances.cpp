//===- Instances.cpp - Which kernels of a file are compiled ---------------===//
#include "frontend/Instances.h"

#include "dialect/tk/ReservedNames.h"
#include "frontend/ClangAst.h"
#include "frontend/Frontend.h"
#include "frontend/InstanceNames.h"
#include "frontend/Messages.h"

#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateDeduction.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace tkc;

/// Whether the text may be a template name with arguments, and nothing else.
static bool mayBeInstance(llvm::StringRef text) {
  return !text.empty() && (llvm::isAlpha(text[0]) || text[0] == '_') &&
         text.find_first_of("\n\r;{}\\\"'#/") == llvm::StringRef::npos;
}

std::string tkc::spellTuned(const TunedFunction &function) {
  const auto &[name, instances] = function;
  bool isName = !name.empty() && !llvm::isDigit(name[0]) &&
                llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isName || instances.empty() || !llvm::all_of(instances, mayBeInstance))
    return {};
  return "tuned_instances(" + name + ", " + llvm::join(instances, ", ") + ");\n";
}

std::string tkc::instantiationLine(llvm::StringRef text) {
  text = text.trim();
  if (!mayBeInstance(text))
    return {};
  return ("instantiate(" + nameOfInstance(text) + ", " + text + ");\n").str();
}

namespace {
class InstanceFinder {
public:
  InstanceFinder(Sema &sema, Vocabulary &language) : sema(sema), language(language) {}

  void visit(const DeclContext *scope);
  /// `variable` is the one of the line that asks for the instance, if there is one.
  void add(const FunctionDecl *kernel, std::string name, SourceLocation place,
           const VarDecl *variable = nullptr);

  Instances instances;
  llvm::SmallSetVector<const FunctionTemplateDecl *, 4> needArguments; // without a default instance
  llvm::SmallPtrSet<const FunctionTemplateDecl *, 4> used;             // by some instance
  bool failed = false;

  /// Notes the names of functions that choose: a kernel of such a name has no instance of its own.
  void findChoices(const DeclContext *scope);

private:
  using References = llvm::SmallVector<const DeclRefExpr *>;

  void visitTemplate(FunctionTemplateDecl *decl);
  void visitInstance(const VarDecl *decl);
  void addChoice(llvm::StringRef name, llvm::ArrayRef<const DeclRefExpr *> kernels,
                 SourceLocation place);
  bool takeName(llvm::StringRef name, SourceLocation place);

  Sema &sema;
  Vocabulary &language;
  llvm::StringMap<SourceLocation> names;
  llvm::StringSet<> choiceNames;
  llvm::StringMap<References> tuned; // more instances, by the function that may choose them
};
} // namespace

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

bool InstanceFinder::takeName(llvm::StringRef name, SourceLocation place) {
  if (std::optional<NameOwner> owner = findOwnerOfFunction(name)) {
    report(sema.getDiagnostics(), place, Message::kernel_name_reserved) << name << unsigned(*owner);
    failed = true;
    return false;
  }
  auto [entry, isNew] = names.try_emplace(name, place);
  if (isNew)
    return true;
  report(sema.getDiagnostics(), place, Message::instance_name_twice) << name;
  report(sema.getDiagnostics(), entry->second, Message::note_first_instance) << name;
  failed = true;
  return false;
}

void InstanceFinder::add(const FunctionDecl *kernel, std::string name, SourceLocation place,
                         const VarDecl *variable) {
  DiagnosticsEngine &engine = sema.getDiagnostics();
  const FunctionDecl *definition = nullptr;
  if (!kernel->isDefined(definition) || !definition->hasBody()) {
    report(engine, kernel->getLocation(), Message::kernel_without_body) << kernel;
    failed = true;
    return;
  }
  if (const FunctionTemplateDecl *primary = definition->getPrimaryTemplate())
    used.insert(primary->getCanonicalDecl());
  if (!takeName(name, place))
    return;
  std::string spelling = definition->getQualifiedNameAsString();
  bool hasLambda = llvm::StringRef(templateArguments(definition, false)).contains("(lambda");
  if (hasLambda && variable) // only the line has a name for it
    spelling = variable->getQualifiedNameAsString();
  else if (definition->getTemplateSpecializationArgs())
    spelling.append("<").append(templateArguments(definition, false)).append(">");
  instances.kernels.push_back({definition, name, templateArguments(definition, true), spelling});
}

void InstanceFinder::visitTemplate(FunctionTemplateDecl *decl) {
  if (!decl->isThisDeclarationADefinition())
    return;
  if (firstWithoutDefault(decl)) {
    needArguments.insert(decl);
    return;
  }
  if (choiceNames.contains(decl->getName()))
    return;
  if (auto more = tuned.find(decl->getName()); more != tuned.end()) {
    used.insert(decl->getCanonicalDecl());
    return addChoice(decl->getName(), more->second, decl->getLocation());
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

void InstanceFinder::addChoice(llvm::StringRef name, llvm::ArrayRef<const DeclRefExpr *> kernels,
                               SourceLocation place) {
  // The functions that ask which one it is, and say so.
  if (!takeName(name, place) || !takeName((name + "_choice").str(), place) ||
      !takeName((name + "_as").str(), place))
    return;
  Choice choice{name.str(), {}, place};
  const FunctionDecl *first = namedFunction(kernels.front());
  for (const DeclRefExpr *kernel : kernels) {
    const FunctionDecl *function = namedFunction(kernel);
    if (!sema.getASTContext().hasSameType(function->getType(), first->getType())) {
      report(sema.getDiagnostics(), kernel->getExprLoc(), Message::choice_arguments)
          << name << writeInstance(kernel) << writeInstance(kernels.front());
      failed = true;
      return;
    }
    // An instance that has a name of its own keeps it.
    auto known = llvm::find_if(instances.kernels, [&](const Instance &instance) {
      return instance.function->getCanonicalDecl() == function->getCanonicalDecl();
    });
    if (known == instances.kernels.end()) {
      std::string own = nameOfAlternative(name, function, kernels);
      if (names.contains(own))
        own = nameOfInstance(writeInstance(kernel));
      if (names.contains(own))
        own = nameOfInstance(writeInstance(kernel, /*withDefaults=*/true));
      add(function, own, place);
      if (instances.kernels.empty() || instances.kernels.back().name != own)
        return; // it has no body, or its name is taken
      known = std::prev(instances.kernels.end());
    }
    if (llvm::is_contained(choice.kernels, known->name)) {
      report(sema.getDiagnostics(), kernel->getExprLoc(), Message::choice_twice)
          << name << writeInstance(kernel);
      failed = true;
      return;
    }
    choice.kernels.push_back(known->name);
  }
  instances.choices.push_back(std::move(choice));
}

/// The kernels that an `instantiate` line names; null if there is a mistake in it.
static const CallExpr *kernelsOf(const VarDecl *instance) {
  return dyn_cast_or_null<CallExpr>(instance->getInit());
}

/// Whether it is the line of `tuned_instances`.
static bool isTuned(const VarDecl *instance) { return instance->getName().starts_with("tuned_"); }

/// "gemm" of `instantiate(gemm, ...)`.
static llvm::StringRef nameOf(const VarDecl *instance) {
  llvm::StringRef name = instance->getName();
  if (!name.consume_front("instance_"))
    name.consume_front("tuned_");
  return name;
}

/// The kernels of an `instantiate` line; false after an error that was reported.
static bool collectKernels(const CallExpr *call, Vocabulary &language,
                           llvm::SmallVectorImpl<const DeclRefExpr *> &kernels) {
  for (const Expr *argument : call->arguments()) {
    kernels.push_back(dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts()));
    if (const FunctionDecl *function = namedFunction(kernels.back());
        !function || !language.isKernel(function))
      return false;
  }
  return true;
}

/// Adds those of `more` that are not among `kernels`.
static void addNew(llvm::ArrayRef<const DeclRefExpr *> more,
                   llvm::SmallVectorImpl<const DeclRefExpr *> &kernels) {
  for (const DeclRefExpr *each : more)
    if (llvm::none_of(kernels, [&](const DeclRefExpr *known) {
          return namedFunction(known)->getCanonicalDecl() ==
                 namedFunction(each)->getCanonicalDecl();
        }))
      kernels.push_back(each);
}

void InstanceFinder::findChoices(const DeclContext *scope) {
  for (Decl *decl : scope->noload_decls()) { // a PCH has no instances, and takes time to load
    if (auto *inner = dyn_cast<DeclContext>(decl); inner && isa<NamespaceDecl>(decl))
      findChoices(inner);
    auto *variable = dyn_cast<VarDecl>(decl);
    if (!variable || language.find(variable) != Word::instance)
      continue;
    const CallExpr *kernels = kernelsOf(variable);
    References more;
    if (kernels && isTuned(variable) && collectKernels(kernels, language, more))
      addNew(more, tuned[nameOf(variable)]);
    else if (kernels && kernels->getNumArgs() > 1)
      choiceNames.insert(nameOf(variable));
  }
}

void InstanceFinder::visitInstance(const VarDecl *decl) {
  const CallExpr *call = kernelsOf(decl);
  if (!call || isTuned(decl))
    return;
  SourceLocation place = sema.getSourceManager().getExpansionLoc(decl->getLocation());
  References kernels;
  if (!collectKernels(call, language, kernels)) {
    report(sema.getDiagnostics(), place, Message::instance_of_no_kernel);
    failed = true;
    return;
  }
  if (auto more = tuned.find(nameOf(decl)); more != tuned.end())
    addNew(more->second, kernels);
  if (kernels.size() == 1)
    add(namedFunction(kernels.front()), nameOf(decl).str(), place, decl);
  else
    addChoice(nameOf(decl), kernels, place);
}

void InstanceFinder::visit(const DeclContext *scope) {
  for (Decl *decl : scope->noload_decls()) { // a PCH has no instances, and takes time to load
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

Instances tkc::findInstances(Sema &sema, Vocabulary &language, llvm::StringRef fileName) {
  InstanceFinder finder(sema, language);
  finder.findChoices(sema.getASTContext().getTranslationUnitDecl());
  finder.visit(sema.getASTContext().getTranslationUnitDecl());
  if (finder.failed)
    return {};
  DiagnosticsEngine &engine = sema.getDiagnostics();
  for (const FunctionTemplateDecl *kernel : finder.needArguments) {
    if (finder.used.contains(kernel->getCanonicalDecl()))
      continue;
    report(engine, kernel->getLocation(),
           finder.instances.kernels.empty() ? Message::kernel_without_instance
                                            : Message::kernel_not_compiled)
        << kernel;
    const NamedDecl *parameter = firstWithoutDefault(kernel);
    report(engine, parameter->getLocation(), Message::note_no_default) << parameter;
  }
  if (finder.instances.kernels.empty() && finder.needArguments.empty()) {
    SourceManager &sources = sema.getSourceManager();
    report(engine, sources.getLocForStartOfFile(sources.getMainFileID()), Message::no_kernel)
        << fileName;
  }
  return std::move(finder.instances);
}
