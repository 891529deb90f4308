//===- Messages.cpp - Messages of the frontend ----------------------------===//
#include "frontend/Messages.h"

using namespace clang;

namespace {
struct MessageText {
  DiagnosticIDs::Level level;
  llvm::StringRef text;
};
} // namespace

static const MessageText entries[] = {
#define TKC_MESSAGE(name, level, text) {DiagnosticIDs::level, text},
#include "frontend/FrontendMessages.def"
};

DiagnosticBuilder tkc::report(DiagnosticsEngine &engine, SourceLocation place, Message message) {
  const MessageText &entry = entries[static_cast<unsigned>(message)];
  return engine.Report(place, engine.getDiagnosticIDs()->getCustomDiagID(entry.level, entry.text));
}
