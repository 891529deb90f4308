//===- DiagnosticBridge.cpp - MLIR diagnostics through Clang's engine -----===//
#include "driver/DiagnosticBridge.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include <set>
#include <tuple>
#include <type_traits>
#include <vector>

using namespace mlir;

/// The place in the source text a location stands for; invalid when it has none.
static clang::SourceLocation sourceLocation(Location location, clang::SourceManager &sources) {
  clang::SourceLocation result;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    StringRef name = place.getFilename().getValue();
    // Standard input has no file on disk: its text is Clang's main buffer.
    clang::OptionalFileEntryRef main = sources.getFileEntryRefForID(sources.getMainFileID());
    clang::FileID file;
    if (main && main->getName() == name)
      file = sources.getMainFileID();
    else if (auto entry = sources.getFileManager().getOptionalFileRef(name))
      file = sources.translateFile(*entry);
    if (file.isValid())
      result = sources.translateLineCol(file, place.getLine(), place.getColumn());
    return WalkResult::interrupt();
  });
  return result;
}

static clang::DiagnosticsEngine::Level level(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return clang::DiagnosticsEngine::Note;
  case DiagnosticSeverity::Warning:
    return clang::DiagnosticsEngine::Warning;
  case DiagnosticSeverity::Remark:
    return clang::DiagnosticsEngine::Remark;
  case DiagnosticSeverity::Error:
    break;
  }
  return clang::DiagnosticsEngine::Error;
}

tkc::DiagnosticBridge::DiagnosticBridge(MLIRContext &context, clang::DiagnosticsEngine &engine,
                                        clang::SourceManager &sources)
    : ScopedDiagnosticHandler(&context) {
  auto report = [&engine, &sources](Diagnostic &diagnostic) {
    // The text is an argument of "%0", never a format: it may hold a percent sign.
    clang::DiagnosticsEngine::Level how = level(diagnostic.getSeverity());
    // -Werror, which Clang reads for its own warnings only.
    if (how == clang::DiagnosticsEngine::Warning && engine.getWarningsAsErrors())
      how = clang::DiagnosticsEngine::Error;
    unsigned id = engine.getCustomDiagID(how, "%0");
    engine.Report(sourceLocation(diagnostic.getLocation(), sources), id) << diagnostic.str();
  };
  auto describe = [&sources](Diagnostic &diagnostic) {
    return std::tuple(diagnostic.getSeverity(),
                      sourceLocation(diagnostic.getLocation(), sources).getRawEncoding(),
                      diagnostic.str());
  };
  using Said = std::vector<std::invoke_result_t<decltype(describe), Diagnostic &>>;
  setHandler([&engine, report, describe, said = std::set<Said>()](Diagnostic &diagnostic) mutable {
    // Clang applies -w to its own warnings only.
    if (diagnostic.getSeverity() == DiagnosticSeverity::Warning && engine.getIgnoreAllWarnings())
      return success();
    Said words = {describe(diagnostic)};
    for (Diagnostic &note : diagnostic.getNotes())
      words.push_back(describe(note));
    if (!said.insert(std::move(words)).second)
      return success();
    report(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      report(note);
    return success();
  });
}
