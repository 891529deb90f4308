//===- DependencyFile.cpp - The inputs of an output, for make and ninja ---===//
//
// Clang writes such files too, but takes a backslash for a slash and leaves colons
// and line breaks as they are, so that a file's name can end a rule and begin one.
//
//===----------------------------------------------------------------------===//
#include "driver/DependencyFile.h"

using namespace llvm;

/// A name as make and ninja read it back, both of them.
static Expected<std::string> quoteForMake(StringRef name) {
  if (name.find_first_of("\n\r") != StringRef::npos || name.ends_with("\\"))
    return createStringError("a rule of make cannot name '" + name +
                             "', which has a line break or ends with a backslash");
  std::string quoted;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == ' ' || c == '\t') // backslashes before it are read as pairs
      quoted.append(name.take_front(i).size() - name.take_front(i).rtrim('\\').size(), '\\');
    if (StringRef(" \t#:").contains(c))
      quoted += '\\';
    quoted += c == '$' ? "$$" : std::string(1, c);
  }
  return quoted;
}

Expected<std::string> tkc::spellDependencies(const std::string &target,
                                             ArrayRef<std::string> inputs) {
  Expected<std::string> text = quoteForMake(target);
  if (!text)
    return text.takeError();
  *text += ":";
  for (const std::string &input : inputs) {
    Expected<std::string> name = quoteForMake(input);
    if (!name)
      return name.takeError();
    *text += " \\\n  " + *name;
  }
  return *text + "\n";
}
