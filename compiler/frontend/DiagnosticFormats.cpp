//===- DiagnosticFormats.cpp - Diagnostics for programs that read them ----===//
//
// Editors and CI servers show diagnostics in place if they come as JSON the way GCC
// writes it, or as SARIF. Clang's own SARIF printer makes every note a result of its
// own, and such a list is of no use: a note belongs to its error.
//
//===----------------------------------------------------------------------===//
#include "frontend/DiagnosticFormats.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace tkc;
namespace json = llvm::json;
using Entry = DiagnosticCollector::Entry;

/// How many UTF-16 units a text takes.
static unsigned lengthInEditors(StringRef text) {
  llvm::SmallVector<llvm::UTF16> units;
  return llvm::convertUTF8ToUTF16String(text, units) ? unsigned(units.size())
                                                     : unsigned(text.size());
}

static void setPlace(Entry &entry, const FullSourceLoc &location) {
  if (location.isInvalid())
    return;
  const SourceManager &sources = location.getManager();
  FullSourceLoc place = location.getExpansionLoc();
  PresumedLoc presumed = sources.getPresumedLoc(place);
  if (presumed.isInvalid())
    return;
  entry.file = presumed.getFilename();
  entry.line = presumed.getLine();
  entry.byteColumn = presumed.getColumn();
  LangOptions language;
  language.CPlusPlus = true;
  unsigned length = std::max(1u, Lexer::MeasureTokenLength(place, sources, language));
  entry.lastByteColumn = entry.byteColumn + length - 1;
  auto [file, offset] = sources.getDecomposedLoc(place);
  StringRef text = sources.getBufferData(file), before = text.take_front(offset);
  before = before.take_back(std::min<size_t>(before.size(), entry.byteColumn - 1));
  entry.column = lengthInEditors(before) + 1;
  entry.endColumn = entry.column + lengthInEditors(text.substr(offset, length));
}

void DiagnosticCollector::HandleDiagnostic(DiagnosticsEngine::Level level,
                                           const Diagnostic &diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic); // counts
  Entry entry;
  entry.level = level;
  llvm::SmallString<128> message;
  diagnostic.FormatDiagnostic(message);
  StringRef text = message;
  entry.option =
      diagnostic.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(diagnostic.getID()).str();
  // Warnings of passes end with their option.
  if (size_t at = text.rfind(" [-W"); at != StringRef::npos && text.ends_with("]")) {
    entry.option = text.substr(at + 4).drop_back().str();
    text = text.take_front(at);
  }
  entry.message = llvm::json::fixUTF8(text);
  if (diagnostic.getLocation().isValid() && diagnostic.hasSourceManager())
    setPlace(entry, FullSourceLoc(diagnostic.getLocation(), diagnostic.getSourceManager()));
  if (level == DiagnosticsEngine::Note && !entries.empty())
    entries.back().notes.push_back(std::move(entry));
  else
    entries.push_back(std::move(entry));
}

static StringRef levelName(DiagnosticsEngine::Level level) {
  switch (level) {
  case DiagnosticsEngine::Ignored:
  case DiagnosticsEngine::Note:
  case DiagnosticsEngine::Remark:
    return "note";
  case DiagnosticsEngine::Warning:
    return "warning";
  case DiagnosticsEngine::Error:
  case DiagnosticsEngine::Fatal:
    break;
  }
  return "error";
}

static json::Object toGcc(const Entry &entry) {
  json::Array locations, children;
  if (!entry.file.empty()) {
    auto end = [&](unsigned column) {
      return json::Object{
          {"file", llvm::json::fixUTF8(entry.file)}, {"line", entry.line}, {"column", column}};
    };
    locations.push_back(
        json::Object{{"caret", end(entry.byteColumn)}, {"finish", end(entry.lastByteColumn)}});
  }
  for (const Entry &note : entry.notes)
    children.push_back(toGcc(note));
  json::Object result{{"kind", levelName(entry.level)},
                      {"message", entry.message},
                      {"locations", std::move(locations)}};
  if (!entry.option.empty())
    result["option"] = "-W" + entry.option;
  if (entry.level != DiagnosticsEngine::Note)
    result["children"] = std::move(children);
  return result;
}

/// SARIF wants URIs: absolute paths as file://, relative ones as they are, both percent-encoded.
static std::string uriOf(StringRef file) {
  std::string uri = llvm::sys::path::is_absolute(file) ? "file://" : "";
  for (char c : file)
    if (llvm::isAlnum(c) || StringRef("/-_.~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::utohexstr(uint8_t(c), /*LowerCase=*/false, /*Width=*/2);
  return uri;
}

static json::Object toSarifLocation(const Entry &entry) {
  json::Object location;
  if (!entry.file.empty())
    location["physicalLocation"] =
        json::Object{{"artifactLocation", json::Object{{"uri", uriOf(entry.file)}}},
                     {"region", json::Object{{"startLine", entry.line},
                                             {"startColumn", entry.column},
                                             {"endColumn", entry.endColumn}}}};
  return location;
}

static json::Object toSarif(const Entry &entry) {
  json::Object result{{"level", levelName(entry.level)},
                      {"message", json::Object{{"text", entry.message}}}};
  if (!entry.option.empty())
    result["ruleId"] = entry.option;
  if (!entry.file.empty())
    result["locations"] = json::Array{toSarifLocation(entry)};
  json::Array related;
  for (const Entry &note : entry.notes) {
    json::Object location = toSarifLocation(note);
    location["message"] = json::Object{{"text", note.message}};
    related.push_back(std::move(location));
  }
  if (!related.empty())
    result["relatedLocations"] = std::move(related);
  return result;
}

void DiagnosticCollector::print(DiagnosticFormat format, const char *version,
                                llvm::raw_ostream &out) const {
  json::Array results;
  for (const Entry &entry : entries)
    results.push_back(format == DiagnosticFormat::Json ? toGcc(entry) : toSarif(entry));
  if (format == DiagnosticFormat::Json) {
    out << llvm::json::Value(std::move(results)) << "\n";
    return;
  }
  json::Object driver{{"name", "tkc"}, {"version", version}};
  json::Object run{{"tool", json::Object{{"driver", std::move(driver)}}},
                   {"columnKind", "utf16CodeUnits"},
                   {"results", std::move(results)}};
  json::Object document{{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/cos02/schemas/"
                                    "sarif-schema-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", json::Array{std::move(run)}}};
  out << llvm::json::Value(std::move(document)) << "\n";
}
