//===- ExplorerPage.h - What the parts of the page share ------------------===//
#ifndef TKC_EXPLORER_EXPLORERPAGE_H
#define TKC_EXPLORER_EXPLORERPAGE_H

#include "analysis/StaticTimeline.h"
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

// ExplorerFigures.cpp
void drawTimeline(const Page &page, const PageKernel &kernel, llvm::raw_ostream &os);
void drawMemory(const PageKernel &kernel, llvm::raw_ostream &os);
void drawRegisters(const PageKernel &kernel, llvm::raw_ostream &os);

// ExplorerData.cpp
/// What explorer.js reads.
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
