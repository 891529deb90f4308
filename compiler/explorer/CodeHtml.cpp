//===- CodeHtml.cpp - Source code as coloured HTML ------------------------===//
//
// Clang's raw lexer finds the tokens; it knows neither macros nor includes, and any
// text is a sequence of tokens to it. Elements of one letter keep the page small:
// b is a keyword, i a comment, u a literal, s a line for the preprocessor.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::explorer;

/// Whether a character moves or hides what stands around it: bidirectional marks, joiners,
/// controls.
static bool isDeceptive(UTF32 c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x61c;
}

std::string explorer::html(StringRef text) {
  std::string valid = json::isUTF8(text) ? text.str() : json::fixUTF8(text);
  std::string result;
  for (size_t i = 0; i < valid.size();) {
    const auto *at = reinterpret_cast<const UTF8 *>(valid.data() + i), *begin = at;
    UTF32 c = 0;
    const auto *end = reinterpret_cast<const UTF8 *>(valid.data() + valid.size());
    if (convertUTF8Sequence(&at, end, &c, lenientConversion) != conversionOK)
      break;
    size_t length = at - begin;
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else if (isDeceptive(c))
      result += "[U+" + utohexstr(c, /*LowerCase=*/false, 4) + "]";
    else
      result.append(valid, i, length);
    i += length;
  }
  return result;
}

namespace {
/// Cuts marked text into lines, each with elements of its own.
class Lines {
public:
  explicit Lines(const std::map<unsigned, std::set<unsigned>> &tokens) : tokens(tokens) {}

  void add(StringRef text, StringRef element) {
    while (true) {
      auto [part, rest] = text.split('\n');
      bool ends = part.size() < text.size();
      addPart(part.trim('\r'), element);
      column += part.size();
      if (!ends)
        return;
      lines.emplace_back();
      column = 1;
      text = rest;
    }
  }

  std::vector<std::string> lines{""};

private:
  void addPart(StringRef text, StringRef element) {
    if (text.empty())
      return;
    auto found = tokens.find(lines.size());
    bool isToken = found != tokens.end() && found->second.count(column);
    std::string &line = lines.back();
    if (isToken)
      line += "<a data-c=\"" + std::to_string(column) + "\">";
    if (!element.empty())
      line += ("<" + element + ">").str();
    line += html(text);
    if (!element.empty())
      line += ("</" + element + ">").str();
    if (isToken)
      line += "</a>";
  }

  const std::map<unsigned, std::set<unsigned>> &tokens;
  unsigned column = 1;
};
} // namespace

static clang::LangOptions languageOptions() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 =
      options.CPlusPlus20 = options.Bool = options.LineComment = true;
  return options;
}

std::vector<std::string> explorer::colorCode(StringRef code,
                                             const std::map<unsigned, std::set<unsigned>> &tokens) {
  std::string buffer = code.str(); // the lexer wants a null after the last character
  clang::LangOptions language = languageOptions();
  clang::IdentifierTable words(language);
  words.get("kernel", clang::tok::kw_void); // what begins a kernel, in tk.h a macro
  clang::Lexer lexer(clang::SourceLocation(), language, buffer.data(), buffer.data(),
                     buffer.data() + buffer.size());
  lexer.SetKeepWhitespaceMode(true);
  Lines lines(tokens);
  bool isDirective = false;
  for (size_t at = 0; at < buffer.size();) {
    clang::Token token;
    lexer.LexFromRawLexer(token);
    size_t end = lexer.getBufferLocation() - buffer.data();
    if (end <= at)
      break;
    StringRef text = StringRef(buffer).slice(at, end), element;
    if (token.isAtStartOfLine() || text.contains('\n'))
      isDirective = token.is(clang::tok::hash);
    if (token.is(clang::tok::comment))
      element = "i";
    else if (isDirective)
      element = "s";
    else if (token.isLiteral())
      element = "u";
    else if (token.is(clang::tok::raw_identifier) &&
             words.get(token.getRawIdentifier()).getTokenID() != clang::tok::identifier)
      element = "b";
    lines.add(text, element);
    at = end;
  }
  return std::move(lines.lines);
}
