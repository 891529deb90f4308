//===- Messages.cpp - Messages of the frontend ----------------------------===//
#include "frontend/Messages.h"

using namespace clang;

namespace {
struct Entry {
  DiagnosticIDs::Level level;
  llvm::StringRef text;
};
} // namespace

static const Entry entries[] = {
#define TKC_MESSAGE(name, level, text) {DiagnosticIDs::level, text},
#include "frontend/FrontendMessages.def"
};

DiagnosticBuilder tkc::report(DiagnosticsEngine &engine, SourceLocation place, Message message) {
  const Entry &entry = entries[static_cast<unsigned>(message)];
  return engine.Report(place, engine.getDiagnosticIDs()->getCustomDiagID(entry.level, entry.text));
}
