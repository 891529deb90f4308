//===- CudaPrinter.h - Lines of CUDA: indentation, wrapping, reasons ------===//
//
// A printer of lines rather than of characters, because two things depend on
// more than one line: the reasons that trail the lines of a run begin in one
// column, and a reason that would pass the last column becomes a comment above
// its line. Comments and reasons may hold any text: it never becomes code.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_CUDAPRINTER_H
#define TKC_BACKEND_CUDAPRINTER_H

#include "backend/LineTable.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tkc::backend {

class CudaPrinter {
public:
  static constexpr size_t lastColumn = 120;

  /// The origin and kind of every line go to `table`, if there is one.
  explicit CudaPrinter(llvm::raw_ostream &os, LineTable *table = nullptr) : os(os), table(table) {}
  ~CudaPrinter() { flush(); }

  /// One line of code. `reason` trails it as a comment.
  void line(const llvm::Twine &code, llvm::StringRef reason = {});

  /// Whether `code` fits on one line here.
  bool fits(llvm::StringRef code) const { return 2 * depth + code.size() <= lastColumn; }

  /// `head` item, item, ... `tail`, broken between items where the line is full; the lines after
  /// it begin below the first item or, if an item is too long for that, four columns further in
  /// than the head.
  void list(const llvm::Twine &head, llvm::ArrayRef<std::string> items, const llvm::Twine &tail,
            llvm::StringRef reason = {});

  /// A comment on lines of its own. Text after a break is indented by `hang` columns.
  void comment(llvm::StringRef text, unsigned hang = 0);

  /// Why the lines below are there, on lines of its own.
  void reason(llvm::StringRef text);

  /// The columns that a comment's text has on one line here.
  size_t commentRoom() const;

  /// A comment that quotes a line of the source; one that is too long is cut.
  void sourceComment(llvm::StringRef text);

  /// The line above and below a heading.
  void rule();

  /// A preprocessor line, at the left margin.
  void directive(const llvm::Twine &text);

  /// At most one empty line before the next line, and none before a closing brace.
  void blank();

  /// `code` ends with the brace that opens a block.
  void open(const llvm::Twine &code);
  /// Closes a block; `code` begins with the closing brace and may open the next block.
  void close(const llvm::Twine &code = "}");
  void closeAndOpen(const llvm::Twine &code);
  /// After a list that opened a block, and around a statement without braces.
  void indent() { ++depth; }
  void unindent() { --depth; }

  LineOrigin origin; // of the lines that are printed now; see Origin below

private:
  struct Line {
    unsigned indent;
    std::string code, reason;
    LineOrigin origin;
    std::string fullReason; // before it was made safe to print
  };

  void print(unsigned indent, llvm::StringRef code, const CudaLine &what);
  void print(unsigned indent, llvm::StringRef code, LineText text = LineText::Code,
             llvm::StringRef reason = {}) {
    print(indent, code, {origin, text, reason.str()});
  }
  /// Breaks a statement that is too long for a line after its "=".
  void printStatement(unsigned indent, llvm::StringRef code, llvm::StringRef reason = {});
  void comment(llvm::StringRef text, unsigned hang, LineText kind, llvm::StringRef reason);
  void flush();

  llvm::raw_ostream &os;
  LineTable *table;
  unsigned depth = 0;
  bool blankPending = false, anyPrinted = false;
  llvm::SmallVector<Line> run; // the run of lines with reasons that is not printed yet
};

/// While it lives, the lines that are printed come from this op, or from this part of the file.
class Origin {
public:
  Origin(CudaPrinter &out, LineOrigin origin) : out(out), outer(out.origin) { out.origin = origin; }
  Origin(CudaPrinter &out, mlir::Operation *op) : Origin(out, {op, out.origin.part}) {}
  ~Origin() { out.origin = outer; }
  Origin(const Origin &) = delete;
  Origin &operator=(const Origin &) = delete;

private:
  CudaPrinter &out;
  LineOrigin outer;
};

} // namespace tkc::backend

#endif // TKC_BACKEND_CUDAPRINTER_H
