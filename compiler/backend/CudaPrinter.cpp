//===- CudaPrinter.cpp - Lines of CUDA: indentation, wrapping, reasons ----===//
#include "backend/CudaPrinter.h"

#include "backend/SafeText.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tkc::backend;

static constexpr StringLiteral commentMark = "// ";
/// How far a statement's lines after its first one are indented.
static constexpr unsigned continuation = 4;

/// Where the comments of a run begin: one blank after its longest line.
template <typename Lines> static size_t commentColumn(const Lines &lines) {
  size_t column = 0;
  for (const auto &line : lines)
    column = std::max(column, line.indent + line.code.size() + 1);
  return column;
}

void CudaPrinter::print(unsigned indent, StringRef code, const CudaLine &what) {
  if (blankPending && anyPrinted) {
    os << '\n';
    if (table)
      table->add({origin, LineText::Blank, {}});
  }
  blankPending = false;
  anyPrinted = true;
  if (!code.empty())
    os.indent(indent) << code;
  os << '\n';
  for (size_t i = 0; table && i <= code.count('\n'); ++i)
    table->add(what);
}

/// Where the text after "x =" or "x +=" begins; 0 if the statement assigns nothing.
static size_t findAssigned(StringRef code) {
  size_t operatorAt = code.find("= ");
  if (operatorAt == StringRef::npos || !code.ends_with(";") ||
      code.find_first_of("([{") < operatorAt)
    return 0;
  return operatorAt + 2;
}

void CudaPrinter::printStatement(unsigned indent, StringRef code, StringRef reason) {
  size_t assigned = indent + code.size() > lastColumn ? findAssigned(code) : 0;
  if (!assigned)
    return print(indent, code, LineText::Code, reason);
  print(indent, code.take_front(assigned).rtrim(), LineText::Code, reason);
  print(indent + continuation, code.drop_front(assigned), LineText::Code, reason);
}

void CudaPrinter::flush() {
  size_t column = commentColumn(run);
  for (const Line &line : run) {
    std::string text = line.code;
    text.append(column - line.indent - line.code.size(), ' ');
    print(line.indent, text + commentMark.str() + line.reason,
          {line.origin, LineText::Code, line.fullReason});
  }
  run.clear();
}

void CudaPrinter::line(const Twine &code, StringRef reason) {
  Line added{2 * depth, code.str(), closedComment(reason), origin, reason.str()};
  if (reason.empty()) {
    flush();
    return printStatement(added.indent, added.code);
  }

  auto fits = [](ArrayRef<Line> lines) {
    size_t column = commentColumn(lines);
    return llvm::all_of(lines, [&](const Line &line) {
      return column + commentMark.size() + line.reason.size() <= lastColumn;
    });
  };
  if (!fits(added)) {
    comment(reason, 0, LineText::Reason, reason);
    return printStatement(added.indent, added.code, reason);
  }
  run.push_back(added);
  if (fits(run))
    return;
  run.pop_back();
  flush();
  run.push_back(added);
}

void CudaPrinter::list(const Twine &head, ArrayRef<std::string> items, const Twine &tail,
                       StringRef reason) {
  std::string start = head.str(), end = tail.str();
  std::string text = start;
  SmallVector<std::string> lines;
  size_t widest = 0;
  for (const std::string &item : items)
    widest = std::max(widest, item.size() + (&item == &items.back() ? end.size() : 1));
  size_t margin = start.size();
  if (2 * depth + margin + widest > lastColumn && margin > continuation) {
    lines.push_back(start); // too little room is left after it
    margin = continuation;
    text.assign(margin, ' ');
  }
  for (size_t i = 0; i < items.size(); ++i) {
    bool isLast = i + 1 == items.size();
    size_t width = items[i].size() + (isLast ? end.size() : 1);
    bool isFirstOfLine = i == 0;
    if (!isFirstOfLine && 2 * depth + text.size() + 1 + width > lastColumn) {
      lines.push_back(text);
      text.assign(margin, ' ');
      isFirstOfLine = true;
    }
    if (!isFirstOfLine)
      text += ' ';
    text += items[i];
    if (!isLast)
      text += ',';
  }
  if (lines.empty())
    return line(text + end, reason);
  if (!reason.empty())
    comment(reason, 0, LineText::Reason, reason);
  flush();
  lines.push_back(text + end);
  for (const std::string &part : lines)
    print(2 * depth, part, LineText::Code, reason);
}

size_t CudaPrinter::commentRoom() const { return lastColumn - 2 * depth - commentMark.size(); }

void CudaPrinter::comment(StringRef text, unsigned hang) {
  comment(text, hang, LineText::Comment, {});
}

void CudaPrinter::reason(StringRef text) { comment(text, 0, LineText::Reason, text); }

void CudaPrinter::comment(StringRef unsafe, unsigned hang, LineText kind, StringRef reason) {
  flush();
  std::string escapedText = escaped(unsafe);
  StringRef text = escapedText;
  unsigned indent = 2 * depth;
  size_t room = commentRoom();
  std::string margin = commentMark.str();
  if (text.empty())
    return print(indent, "//", kind);
  while (text.size() > room) {
    size_t cut = text.rfind(' ', room + 1);
    if (cut == StringRef::npos || cut == 0)
      break; // one word longer than the line stays whole
    print(indent, margin + closedComment(text.take_front(cut).rtrim()), kind, reason);
    text = text.drop_front(cut).ltrim();
    if (margin.size() == commentMark.size()) {
      margin.append(hang, ' ');
      room -= hang;
    }
  }
  print(indent, margin + closedComment(text), kind, reason);
}

void CudaPrinter::sourceComment(StringRef text) {
  flush();
  std::string code = commentMark.str() + closedComment(text);
  size_t room = lastColumn - 2 * depth;
  if (code.size() > room) {
    size_t cut = room - 4;
    while ((code[cut] & 0xc0) == 0x80) // in a character
      --cut;
    code.replace(cut, std::string::npos, " ...");
  }
  print(2 * depth, code, LineText::Source);
}

void CudaPrinter::rule() {
  flush();
  print(2 * depth,
        "//===----------------------------------------------------------------------===//",
        LineText::Comment);
}

void CudaPrinter::directive(const Twine &text) {
  flush();
  print(0, text.str());
}

void CudaPrinter::blank() {
  flush();
  blankPending = true;
}

void CudaPrinter::open(const Twine &code) {
  line(code);
  ++depth;
}

void CudaPrinter::close(const Twine &code) {
  flush();
  blankPending = false;
  --depth;
  line(code);
}

void CudaPrinter::closeAndOpen(const Twine &code) {
  close(code);
  ++depth;
}
