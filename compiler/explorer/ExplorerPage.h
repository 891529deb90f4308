//===- ExplorerPage.h - Declarations that the parts of the page share -----===//
#ifndef TKC_EXPLORER_EXPLORERPAGE_H
#define TKC_EXPLORER_EXPLORERPAGE_H

#include "analysis/cost/StaticTimeline.h"
#include "backend/LineTable.h"
#include "explorer/Explorer.h"
#include "report/Report.h"

#include <map>
#include <set>

namespace tkc::explorer {

/// One kernel as the page shows it.
struct PageKernel {
  hopper::KernelOp op;
  KernelReport report;
  StaticTimeline timeline;
};

/// A file of the source, and the columns at which tokens are that lines come from.
struct PageSource {
  std::string path, name;
  llvm::StringRef text;
  std::map<unsigned, std::set<unsigned>> tokens; // by line
};

struct Page {
  std::string cudaName, cuda;
  LineTable lines;
  std::vector<LineFacts> facts;              // of each line
  llvm::DenseSet<mlir::Operation *> printed; // ops with a line of their own
  std::vector<PageKernel> kernels;
  std::vector<PageSource> sources;
  const profile::Run *run = nullptr;

  int findKernel(llvm::StringRef name) const;
  int findSource(llvm::StringRef path) const;
};

/// How many iterations the timeline shows.
inline constexpr int64_t shownIterations = 8;

/// Text as HTML; characters that would reorder or hide what stands around them become visible.
std::string html(llvm::StringRef text);

// CodeHtml.cpp
/// Source code as one HTML element per line, coloured; `tokens` can be selected by themselves.
std::vector<std::string> colorCode(llvm::StringRef code,
                                   const std::map<unsigned, std::set<unsigned>> &tokens = {});

// TimelineFigure.cpp
void drawTimeline(const Page &page, const PageKernel &kernel, llvm::raw_ostream &os);

// MeasuredTrace.cpp
/// A role's work from one record to the next, on the timeline's axis.
struct MeasuredSpan {
  unsigned row; // of the timeline
  double begin, end;
  unsigned statement;
  llvm::StringRef name, shape; // as the record calls it; the class of its bar
};

/// One tile of the run, placed so that the first consumer's first MMA begins when the model's does;
/// nothing if the page has no run of this kernel.
std::vector<MeasuredSpan> placeMeasured(const Page &page, const PageKernel &kernel);

/// A run's times beside the model's: the phases of an iteration, and how busy the SMs were.
void drawRun(const Page &page, const PageKernel &kernel, llvm::raw_ostream &os);

// ExplorerFigures.cpp
void drawMemory(const PageKernel &kernel, llvm::raw_ostream &os);
void drawRegisters(const PageKernel &kernel, llvm::raw_ostream &os);

// ExplorerData.cpp
/// The data that the script reads.
std::string gatherData(const Page &page, const EmitOptions &emit, const ExplorerOptions &options);

// PassDiffs.cpp
/// The IR of the first text, and of every other what it changes.
void printPassDiffs(llvm::ArrayRef<PassText> passes, llvm::raw_ostream &os);

// Made by CMake from tools/explorer and docs.
llvm::StringRef script();
llvm::StringRef style();
llvm::StringRef glossary();

} // namespace tkc::explorer

#endif // TKC_EXPLORER_EXPLORERPAGE_H
