//===- fuzz_ir.cpp - Any text as IR, through passes and printers ----------===//
//
// The first line names the passes, as `// passes: tk-distribute,tk-insert-pipeline`;
// without it the whole pipeline runs. If all of them accept the module, it is
// printed as CUDA, which goes nowhere.
//
//===----------------------------------------------------------------------===//
#include "TextMutator.h"
#include "backend/EmitCuda.h"
#include "dialect/Dialects.h"
#include "driver/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cstdint>
#include <cstring>

#include "Mutators.inc"

using namespace mlir;

static void addPasses(PassManager &manager, StringRef text) {
  StringRef line = text.take_until([](char c) { return c == '\n'; });
  if (!line.consume_front("// passes: "))
    return tkc::buildPipeline(manager);
  // Names that a mutation has spoilt are left out.
  while (!line.empty()) {
    auto [name, rest] = line.split(',');
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    (void)parsePassPipeline(name.trim(), manager, stream);
    line = rest;
  }
}

/// True if a value is named before the text that may define it. MLIR 19 crashes by itself on an op
/// with a region whose operand is defined in that very region (`mlir-opt` does so with scf.for):
/// the parser replaces the stand-in for the value while the op that is being parsed holds it.
/// Scopes are what stands between braces; a name that is no longer in scope is undefined again.
static bool usesBeforeDefinition(StringRef text) {
  std::vector<llvm::StringSet<>> scopes(1);
  llvm::StringSet<> undefined; // named, and in no scope
  auto isName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-' || c == '$' || c == '.';
  };
  for (size_t at = text.find_first_of("%{}/"); at != StringRef::npos;
       at = text.find_first_of("%{}/", at + 1)) {
    if (text.substr(at).starts_with("//")) {
      at = text.find('\n', at);
      if (at == StringRef::npos)
        break;
      continue;
    }
    if (text[at] == '{')
      scopes.emplace_back();
    else if (text[at] == '}' && scopes.size() > 1)
      scopes.pop_back();
    if (text[at] != '%')
      continue;
    StringRef name = text.drop_front(at + 1).take_while(isName);
    StringRef rest = text.drop_front(at + 1 + name.size());
    if (rest.starts_with(":") || rest.ltrim().starts_with("=")) {
      if (undefined.contains(name))
        return true;
      scopes.back().insert(name);
    } else if (llvm::none_of(scopes, [&](const auto &scope) { return scope.contains(name); })) {
      undefined.insert(name);
    }
  }
  return false;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  tkc::registerPasses();
  registerTransformsPasses();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static DialectRegistry *registry = [] {
    auto *result = new DialectRegistry;
    tkc::registerDialects(*result);
    return result;
  }();
  if (usesBeforeDefinition(textOf(data, size)))
    return 0;
  MLIRContext context(*registry, MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  std::string text = textOf(data, size).str(); // the parser wants a zero at the end
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  PassManager manager(&context);
  addPasses(manager, text);
  if (failed(manager.run(*module)))
    return 0;
  tkc::EmitOptions options;
  options.sourceName = "fuzz.tk";
  options.headerName = "fuzz.h";
  options.version = "0";
  options.sourceLine = [](StringRef, unsigned) { return std::nullopt; };
  std::string output;
  llvm::raw_string_ostream stream(output);
  if (succeeded(tkc::emitCuda(*module, options, stream)))
    (void)tkc::emitHeader(*module, options, stream);
  return 0;
}
