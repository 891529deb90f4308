//===- Messages.cpp - Messages of the frontend ----------------------------===//
#include "frontend/Messages.h"

using namespace clang;

namespace {
struct Entry {
  DiagnosticIDs::Level level;
  llvm::StringRef text;
};
} // namespace

static constexpr DiagnosticIDs::Level Error = DiagnosticIDs::Error;
static constexpr DiagnosticIDs::Level Warning = DiagnosticIDs::Warning;
static constexpr DiagnosticIDs::Level Note = DiagnosticIDs::Note;

static const Entry entries[] = {
#define TKC_MESSAGE(name, level, text) {level, text},
#include "frontend/FrontendMessages.def"
};

DiagnosticBuilder tkc::report(DiagnosticsEngine &engine, SourceLocation place, Message message) {
  const Entry &entry = entries[static_cast<unsigned>(message)];
  return engine.Report(place, engine.getDiagnosticIDs()->getCustomDiagID(entry.level, entry.text));
}
