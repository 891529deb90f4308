//===- LineTable.h - Origin and kind of every line of the CUDA ------------===//
//
// The printer writes down, as it prints, which op each line comes from; nothing
// is read back from the text. From the op follows all that somebody who looks at a
// line may ask: its place in the source, the role that runs it, what kind of
// statement it is, which barrier it waits for or arrives at, and why it is there.
//
// Statements have numbers that depend on the IR alone, and reasons have names made
// of their text: neither changes with the layout of the emitted text.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_LINETABLE_H
#define TKC_BACKEND_LINETABLE_H

#include "backend/NamedBarriers.h"
#include "backend/SourceLines.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace tkc {

struct EmitOptions;

namespace backend {
struct KernelFacts;
}

/// The part of the file that a line is in.
enum class LinePart { File, Plan, Kernel, Launcher, Choice };

/// The kind of a line's text.
enum class LineText { Code, Comment, Reason, Source, Blank };

/// The lines that --profile adds: a record is written where a statement begins, or where it is
/// over.
enum class ProfileEdge { None, Begin, End };

/// The origin of the lines that are printed now.
struct LineOrigin {
  mlir::Operation *op = nullptr; // null where no kernel asks for the line
  LinePart part = LinePart::File;
  bool isRegisters = false;                                 // the setmaxnreg of a role
  std::optional<backend::SourceLine> source = std::nullopt; // where it is not the op's own place
  ProfileEdge record = ProfileEdge::None;
};

struct CudaLine {
  LineOrigin origin;
  LineText text;
  std::string reason; // as it is printed; may be empty
};

/// The answers about one line.
struct LineFacts {
  std::string kernel;
  llvm::StringRef role; // "producer", "consumer", "kernel", "plan", "launcher", "choice", "file"
  llvm::StringRef kind; // "load", "wait", ...
  std::optional<backend::SourceLine> source;
  std::optional<unsigned> statement; // the op's number in its kernel
  std::string reason;
  std::string barrier;    // its name in the emitted code
  llvm::StringRef signal; // "wait", "arrive", "sync" or "init" of the barrier
  std::vector<std::string> rings;
};

/// A thread of the kernel that writes records for --profile.
struct ProfileStream {
  llvm::StringRef role;
  int64_t warpgroup; // of the block
};

/// The emitted names of a kernel's rings and barriers.
struct KernelNames {
  std::vector<std::pair<mlir::Value, std::string>> shared;
  std::vector<backend::NamedBarrierFacts> namedBarriers;
  llvm::DenseMap<mlir::Operation *, unsigned> statements;
  std::vector<ProfileStream> streams; // by number; none without --profile

  std::string find(mlir::Value value) const;
};

class LineTable {
public:
  void add(CudaLine line) { lines.push_back(std::move(line)); }
  void add(const backend::KernelFacts &facts);

  /// In the order of the text; the first one is line 1.
  llvm::ArrayRef<CudaLine> getLines() const { return lines; }
  const KernelNames *findNames(mlir::Operation *kernel) const;
  const llvm::MapVector<mlir::Operation *, KernelNames> &getKernels() const { return kernels; }
  LineFacts describe(const CudaLine &line) const;

private:
  std::vector<CudaLine> lines;
  llvm::MapVector<mlir::Operation *, KernelNames> kernels;
};

/// The numbers of a kernel's statements. They depend on the IR alone.
llvm::DenseMap<mlir::Operation *, unsigned> numberStatements(mlir::Operation *kernel);

/// "r04c11db7a2": the same for the same text, in every file and version.
std::string reasonId(llvm::StringRef reason);

/// The table as JSON; `cudaName` is the file whose lines it has.
void printLinesAsJson(const LineTable &table, const EmitOptions &options, llvm::StringRef cudaName,
                      llvm::raw_ostream &os);

} // namespace tkc

#endif // TKC_BACKEND_LINETABLE_H
