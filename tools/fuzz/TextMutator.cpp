//===- TextMutator.cpp - Changes to program text that keep some sense -----===//
//
// A program with a random byte in it is mostly refused by the lexer, and nothing
// after it is tested. Most programs in which two tokens or two lines have changed
// places still parse, and are wrong in a deeper way. So text is taken apart into
// tokens, or into lines, and those are what is changed; libFuzzer's own changes of
// bytes are mixed in by the targets.
//
//===----------------------------------------------------------------------===//
#include "TextMutator.h"

#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace llvm;
using namespace tkc::fuzz;

using Parts = std::vector<StringRef>;

static size_t pick(std::minstd_rand &random, size_t count) { return random() % count; }

/// Words, numbers, single signs, and the spaces between them.
static Parts tokensOf(StringRef text) {
  Parts parts;
  auto isWord = [](char c) { return isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '!'; };
  while (!text.empty()) {
    StringRef part = isWord(text[0])    ? text.take_while(isWord)
                     : isSpace(text[0]) ? text.take_while([](char c) { return isSpace(c); })
                                        : text.take_front(1);
    parts.push_back(part);
    text = text.drop_front(part.size());
  }
  return parts;
}

static Parts linesOf(StringRef text) {
  Parts parts;
  while (!text.empty()) {
    size_t end = text.find('\n');
    parts.push_back(text.take_front(end == StringRef::npos ? text.size() : end + 1));
    text = text.drop_front(parts.back().size());
  }
  return parts;
}

static std::string joined(const Parts &parts) {
  std::string text;
  for (StringRef part : parts)
    text += part;
  return text;
}

/// A part that is no space, if one is found soon.
static size_t pickSolid(const Parts &parts, std::minstd_rand &random) {
  size_t at = pick(random, parts.size());
  for (int i = 0; i < 8 && parts[at].trim().empty(); ++i)
    at = pick(random, parts.size());
  return at;
}

static void change(Parts &parts, std::minstd_rand &random) {
  size_t at = pickSolid(parts, random), other = pickSolid(parts, random);
  switch (pick(random, 5)) {
  case 0:
    parts.erase(parts.begin() + at);
    break;
  case 1:
    parts.insert(parts.begin() + at, parts[at]);
    break;
  case 2:
    std::swap(parts[at], parts[other]);
    break;
  case 3:
    parts[at] = parts[other];
    break;
  case 4: { // a few parts, elsewhere
    size_t count = std::min(pick(random, 6) + 1, parts.size() - at);
    Parts some(parts.begin() + at, parts.begin() + at + count);
    parts.insert(parts.begin() + other, some.begin(), some.end());
    break;
  }
  }
}

std::string tkc::fuzz::mutate(StringRef text, std::minstd_rand &random) {
  Parts parts = pick(random, 3) == 0 ? linesOf(text) : tokensOf(text);
  for (size_t changes = pick(random, 4) + 1; changes > 0 && !parts.empty(); --changes)
    change(parts, random);
  return joined(parts);
}

std::string tkc::fuzz::crossOver(StringRef text, StringRef other, std::minstd_rand &random) {
  bool byLines = pick(random, 2) == 0;
  Parts parts = byLines ? linesOf(text) : tokensOf(text);
  Parts from = byLines ? linesOf(other) : tokensOf(other);
  if (parts.empty() || from.empty())
    return text.str();
  for (size_t changes = pick(random, 4) + 1; changes > 0; --changes) {
    size_t at = pickSolid(parts, random), source = pickSolid(from, random);
    if (pick(random, 2) == 0) {
      parts[at] = from[source];
      continue;
    }
    size_t count = std::min(pick(random, 4) + 1, from.size() - source);
    parts.insert(parts.begin() + at, from.begin() + source, from.begin() + source + count);
  }
  return joined(parts);
}
