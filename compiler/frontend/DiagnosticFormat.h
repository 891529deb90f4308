//===- DiagnosticFormat.h - How diagnostics are printed -------------------===//
#ifndef TKC_FRONTEND_DIAGNOSTICFORMAT_H
#define TKC_FRONTEND_DIAGNOSTICFORMAT_H

namespace tkc {

/// For a person, or for programs: as GCC's JSON or as SARIF.
enum class DiagnosticFormat { Text, Json, Sarif };

} // namespace tkc

#endif // TKC_FRONTEND_DIAGNOSTICFORMAT_H
