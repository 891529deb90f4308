//===- Messages.h - Messages of the frontend ------------------------------===//
//
// The wording is in FrontendMessages.def; the engine is Clang's, so that a
// message has a caret, ranges and notes, and -verify sees it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_FRONTEND_MESSAGES_H
#define TKC_FRONTEND_MESSAGES_H

#include "clang/Basic/Diagnostic.h"

namespace tkc {

enum class Message {
#define TKC_MESSAGE(name, level, text) name,
#include "frontend/FrontendMessages.def"
};

/// Reports a message; its arguments and ranges follow with `<<`.
clang::DiagnosticBuilder report(clang::DiagnosticsEngine &engine, clang::SourceLocation place,
                                Message message);

} // namespace tkc

#endif // TKC_FRONTEND_MESSAGES_H
