//===- InstanceNames.cpp - Names of kernels and of their instances --------===//
#include "frontend/InstanceNames.h"

#include "frontend/ClangAst.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
using namespace tkc;

std::string tkc::nameOfInstance(llvm::StringRef text) {
  std::string name;
  for (char c : text) {
    if (c == ' ' || c == '>')
      continue;
    if (c == '-')
      name += 'm';
    else
      name += llvm::isAlnum(c) ? c : '_';
  }
  return name;
}

const FunctionDecl *tkc::namedFunction(const DeclRefExpr *reference) {
  return reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
}

std::string tkc::templateArguments(const FunctionDecl *function, bool withNames) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const TemplateArgumentList *arguments = function->getTemplateSpecializationArgs();
  if (!arguments)
    return text;
  PrintingPolicy policy = function->getASTContext().getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  policy.SuppressScope = withNames; // a person reads "bf16", C++ wants "tk::bf16"
  policy.AnonymousTagLocations = false;
  const TemplateParameterList *parameters = function->getPrimaryTemplate()->getTemplateParameters();
  for (unsigned i = 0; i < arguments->size(); ++i) {
    stream << (i ? ", " : "");
    if (withNames)
      stream << parameters->getParam(i)->getName() << " = ";
    arguments->get(i).print(policy, stream, /*IncludeType=*/false);
  }
  // How Clang prints a lambda, as a value and as a type.
  for (llvm::StringRef lambda : {"(lambda){}", "(lambda)"})
    for (size_t at; withNames && (at = text.find(lambda)) != std::string::npos;)
      text.replace(at, lambda.size(), "a lambda");
  return text;
}

std::string tkc::writeInstance(const DeclRefExpr *reference, bool withDefaults) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  PrintingPolicy policy = reference->getDecl()->getASTContext().getPrintingPolicy();
  policy.SuppressTagKeyword = policy.SuppressScope = true;
  stream << reference->getDecl()->getDeclName();
  const TemplateArgumentList *arguments = namedFunction(reference)->getTemplateSpecializationArgs();
  unsigned count = arguments ? arguments->size() : 0;
  if (!withDefaults)
    count = std::min(count, reference->getNumTemplateArgs());
  for (unsigned i = 0; i < count; ++i) {
    stream << (i ? ", " : "<");
    arguments->get(i).print(policy, stream, /*IncludeType=*/false);
  }
  stream << (count ? ">" : "");
  return text;
}

/// "bm192", "causal", or nothing for a parameter that is false.
static std::string describeArgument(const NamedDecl *parameter, const TemplateArgument &argument,
                                    const PrintingPolicy &policy) {
  const std::string name = parameter->getName().lower();
  if (argument.getKind() == TemplateArgument::Integral &&
      argument.getIntegralType()->isBooleanType())
    return argument.getAsIntegral() == 0 ? std::string() : name;
  std::string value;
  llvm::raw_string_ostream stream(value);
  argument.print(policy, stream, /*IncludeType=*/false);
  return name + nameOfInstance(value);
}

std::string tkc::nameOfAlternative(llvm::StringRef name, const FunctionDecl *function,
                                   llvm::ArrayRef<const DeclRefExpr *> kernels) {
  std::string text = name.str();
  const FunctionTemplateDecl *primary = function->getPrimaryTemplate();
  const TemplateArgumentList *arguments = function->getTemplateSpecializationArgs();
  if (!primary || !arguments)
    return text;
  PrintingPolicy policy = function->getASTContext().getPrintingPolicy();
  policy.SuppressTagKeyword = policy.SuppressScope = true;
  for (auto [i, parameter] : llvm::enumerate(*primary->getTemplateParameters())) {
    auto isEqual = [&, i = i](const DeclRefExpr *other) {
      const TemplateArgumentList *others = namedFunction(other)->getTemplateSpecializationArgs();
      return namedFunction(other)->getPrimaryTemplate() == primary && others &&
             others->get(i).structurallyEquals(arguments->get(i));
    };
    std::string part = describeArgument(parameter, arguments->get(i), policy);
    if (!part.empty() && !llvm::all_of(kernels, isEqual))
      text += "_" + part;
  }
  return text;
}
