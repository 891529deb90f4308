//===- SafeText.cpp - Text from outside, as data in emitted code ----------===//
#include "backend/SafeText.h"

#include "dialect/tk/ReservedNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;
using namespace tkc;

/// Takes one character from the front: its code, or none where the bytes are no UTF-8.
static std::optional<UTF32> takeCharacter(StringRef &text, StringRef &bytes) {
  auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  const UTF8 *next = begin;
  UTF32 code;
  if (convertUTF8Sequence(&next, begin + text.size(), &code, strictConversion) != conversionOK) {
    bytes = text.take_front(1);
    text = text.drop_front(1);
    return std::nullopt;
  }
  bytes = text.take_front(size_t(next - begin));
  text = text.drop_front(bytes.size());
  return code;
}

/// Tabs are, because sources have them.
static bool isHarmless(UTF32 code) { return code == '\t' || sys::unicode::isPrintable(int(code)); }

std::string backend::escaped(StringRef text) {
  std::string result;
  while (!text.empty()) {
    StringRef bytes;
    std::optional<UTF32> code = takeCharacter(text, bytes);
    if (code && isHarmless(*code)) {
      result += bytes;
      continue;
    }
    for (unsigned char byte : bytes)
      for (int shift : {-1, 6, 3, 0})
        result += shift < 0 ? '\\' : char('0' + ((byte >> shift) & 7));
  }
  return result;
}

std::string backend::closedComment(StringRef text) {
  std::string result = escaped(text);
  // "??/" is a backslash where trigraphs are, as in C before C23.
  StringRef end = StringRef(result).rtrim();
  if (end.ends_with("\\") || end.ends_with("?\?/"))
    result += " ...";
  return result;
}

std::string backend::quoted(StringRef text) {
  std::string literal = "\"";
  while (!text.empty()) {
    StringRef plain = text.take_until([](char c) { return c == '"' || c == '\\' || c == '?'; });
    literal += escaped(plain);
    text = text.drop_front(plain.size());
    if (!text.empty())
      literal += {'\\', text.front()};
    text = text.drop_front(text.empty() ? 0 : 1);
  }
  return literal + "\"";
}

std::optional<std::string> backend::includable(StringRef path) {
  if (path.empty() || escaped(path) != path || path.contains('\t'))
    return std::nullopt;
  if (!path.contains('"'))
    return ("\"" + path + "\"").str();
  if (!path.contains('>') && path.starts_with("/")) // no folder is searched for it
    return ("<" + path + ">").str();
  return std::nullopt;
}

static bool isWordCharacter(char c) {
  return isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

/// A word of the language; a name that is only left to compilers, such as __f, is none.
static bool isKeyword(StringRef name) {
  return !name.starts_with("_") && findOwnerOfFunction(name) == NameOwner::Language;
}

bool backend::isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) && all_of(name, isWordCharacter) &&
         escaped(name) == name && !isKeyword(name);
}

bool backend::isInstanceName(StringRef name) {
  size_t begin = std::min(name.find('<'), name.size());
  SmallVector<StringRef> parts;
  name.take_front(begin).split(parts, "::");
  if (!all_of(parts, isIdentifier) || escaped(name) != name)
    return false;
  StringRef arguments = name.drop_front(begin);
  if (arguments.find_first_of("\"\\;#\t") != StringRef::npos || arguments.contains("//") ||
      arguments.contains("/*"))
    return false;
  // The bracket that opens them must be the one that the last character closes.
  SmallVector<char> open;
  for (auto [index, c] : enumerate(arguments)) {
    bool isAngle = c == '<' || c == '>';
    if (isAngle && !open.empty() && open.back() != '<')
      continue; // a comparison
    if (StringRef("<({[").contains(c))
      open.push_back(c);
    size_t kind = StringRef(">)}]").find(c);
    if (kind == StringRef::npos)
      continue;
    if (open.empty() || open.pop_back_val() != "<({["[kind])
      return false;
    if (open.empty() && index + 1 != arguments.size())
      return false;
  }
  return open.empty();
}
