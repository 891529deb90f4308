//===- DiagnosticFormats.h - Diagnostics for programs that read them ------===//
#ifndef TKC_FRONTEND_DIAGNOSTICFORMATS_H
#define TKC_FRONTEND_DIAGNOSTICFORMATS_H

#include "frontend/DiagnosticFormat.h"

#include "clang/Basic/Diagnostic.h"

#include <string>
#include <vector>

namespace tkc {

/// Keeps diagnostics until they can be printed as a whole.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &diagnostic) override;

  /// GCC's array of -fdiagnostics-format=json, or a SARIF 2.1.0 document with one run.
  void print(DiagnosticFormat format, const char *version, llvm::raw_ostream &out) const;

  struct Entry {
    clang::DiagnosticsEngine::Level level;
    std::string message;
    std::string option; // "unused-value" of -Wunused-value; empty if none turns it off
    std::string file;   // empty: it is nowhere in the source
    unsigned line = 0, column = 0, endColumn = 0; // from 1, in UTF-16 units as editors count
    unsigned byteColumn = 0, lastByteColumn = 0;  // from 1, of the token's ends
    std::vector<Entry> notes;
  };

private:
  std::vector<Entry> entries;
};

} // namespace tkc

#endif // TKC_FRONTEND_DIAGNOSTICFORMATS_H
