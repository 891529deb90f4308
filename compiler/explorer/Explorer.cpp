//===- Explorer.cpp - The page, from its head to its foot -----------------===//
#include "explorer/Explorer.h"

#include "explorer/ExplorerPage.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::explorer;

int Page::findKernel(StringRef name) const {
  for (const auto &[index, kernel] : llvm::enumerate(kernels))
    if (kernel.report.name == name)
      return index;
  return -1;
}

int Page::findSource(StringRef path) const {
  for (const auto &[index, source] : llvm::enumerate(sources))
    if (source.path == path)
      return index;
  return -1;
}

//===----------------------------------------------------------------------===//
// The content of the page
//===----------------------------------------------------------------------===//

/// The file that was compiled, then the others that lines come from.
static void gatherSources(Page &page, const EmitOptions &emit) {
  auto add = [&](StringRef path) {
    if (page.findSource(path) >= 0)
      return;
    std::optional<StringRef> text = emit.sourceText ? emit.sourceText(path) : std::nullopt;
    page.sources.push_back(
        {path.str(), llvm::sys::path::filename(path).str(), text.value_or(""), {}});
  };
  add(emit.sourcePath);
  for (const LineFacts &facts : page.facts)
    if (facts.source) {
      add(facts.source->file);
      page.sources[page.findSource(facts.source->file)].tokens[facts.source->line].insert(
          facts.source->column);
    }
}

static LogicalResult gatherPage(ModuleOp module, const EmitOptions &emit, Page &page) {
  llvm::raw_string_ostream cuda(page.cuda);
  if (failed(emitCuda(module, emit, cuda, &page.lines)))
    return failure();
  page.cudaName = (llvm::sys::path::stem(emit.headerName) + ".cu").str();
  std::vector<KernelReport> reports = gatherReports(module);
  for (auto [kernel, report] : llvm::zip(module.getOps<hopper::KernelOp>(), reports))
    page.kernels.push_back({kernel, std::move(report), playKernel(kernel, shownIterations)});
  for (const CudaLine &line : page.lines.getLines()) {
    page.facts.push_back(page.lines.describe(line));
    if (line.text == LineText::Code)
      page.printed.insert(line.origin.op);
  }
  gatherSources(page, emit);
  return success();
}

//===----------------------------------------------------------------------===//
// HTML
//===----------------------------------------------------------------------===//

static void printLine(raw_ostream &os, StringRef id, size_t number, StringRef code) {
  os << "<div id=\"" << id << number << "\"><a href=\"#" << id << number << "\">" << number
     << "</a>" << code << "</div>\n";
}

static void printSources(const Page &page, raw_ostream &os) {
  os << "<section id=\"source\" class=\"code\" tabindex=\"0\" aria-label=\"source\">\n";
  for (const auto &[index, source] : llvm::enumerate(page.sources)) {
    os << "<h2>" << html(source.name) << "</h2><pre>\n";
    std::string id = "s" + std::to_string(index) + "-";
    std::vector<std::string> lines = colorCode(source.text.rtrim("\r\n"), source.tokens);
    for (const auto &[number, line] : llvm::enumerate(lines))
      printLine(os, id, number + 1, line);
    os << "</pre>\n";
  }
  os << "</section>\n";
}

/// The lines of each kernel in an element of their own, which a browser need not lay out before it
/// is seen.
static void printCuda(const Page &page, raw_ostream &os) {
  os << "<section id=\"cuda\" class=\"code\" tabindex=\"0\" aria-label=\"CUDA\">\n<h2>"
     << html(page.cudaName) << "</h2>\n";
  std::vector<std::string> lines = colorCode(StringRef(page.cuda).rtrim("\n"));
  StringRef kernel = "\n"; // of the element that is open; no kernel has this name
  for (const auto &[number, line] : llvm::enumerate(lines)) {
    StringRef next = number < page.facts.size() ? StringRef(page.facts[number].kernel) : kernel;
    if (next != kernel && !(next.empty() && line.empty())) {
      os << (number ? "</pre>\n<pre" : "<pre");
      if (int index = page.findKernel(next); index >= 0)
        os << " id=\"k" << index << "\"";
      os << ">\n";
      kernel = next;
    }
    printLine(os, "c", number + 1, line);
  }
  os << "</pre>\n</section>\n";
}

/// A figure for each kernel; the script shows that of the kernel that is looked at.
template <typename Draw>
static void printFigures(const Page &page, StringRef id, StringRef title, raw_ostream &os,
                         Draw draw) {
  os << "<section id=\"" << id << "\" class=\"panel\"><h2>" << title << "</h2>\n";
  for (const auto &[index, kernel] : llvm::enumerate(page.kernels)) {
    os << "<div class=\"figure\" data-kernel=\"" << index << "\">";
    if (page.kernels.size() > 1)
      os << "<h3 class=\"name\">" << html(kernel.report.name) << "</h3>";
    draw(kernel);
    os << "</div>\n";
  }
  os << "</section>\n";
}

static void printEmptyPanel(StringRef id, StringRef title, raw_ostream &os) {
  os << "<section id=\"" << id << "\" class=\"panel script\"><h2>" << title
     << "</h2><div class=\"body\"></div></section>\n";
}

static void printHead(const Page &page, const EmitOptions &emit, raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>"
     << html(emit.sourceName) << " and its CUDA</title>\n<style>" << style()
     << "</style></head>\n<body class=\"plain\">\n";
  os << "<header><h1>" << html(emit.sourceName) << "</h1><p>How tkc " << html(emit.version)
     << " maps it to CUDA, and why. Select a line or a word: what belongs to it lights up.</p>"
        "<nav id=\"views\"></nav></header>\n";
  os << "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><pattern id=\"hatch\" "
        "width=\"6\" "
        "height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path "
        "d=\"M0 0v6\" class=\"hatching\"/></pattern></defs></svg>\n";
}

LogicalResult tkc::emitExplorer(ModuleOp module, const EmitOptions &emit,
                                const ExplorerOptions &options, raw_ostream &os) {
  Page page;
  page.run = options.run;
  if (failed(gatherPage(module, emit, page)))
    return failure();
  printHead(page, emit, os);
  os << "<main>\n";
  printSources(page, os);
  printCuda(page, os);
  os << "<div id=\"panels\">\n<nav id=\"tabs\"></nav>\n";
  printEmptyPanel("why", "Why", os);
  printEmptyPanel("barriers", "Barriers", os);
  printFigures(page, "timeline", "Timeline", os,
               [&](const PageKernel &kernel) { drawTimeline(page, kernel, os); });
  printFigures(page, "memory", "Shared memory", os,
               [&](const PageKernel &kernel) { drawMemory(kernel, os); });
  printFigures(page, "registers", "Registers", os,
               [&](const PageKernel &kernel) { drawRegisters(kernel, os); });
  printEmptyPanel("layouts", "Layouts", os);
  printEmptyPanel("compare", "Compare", os);
  if (!options.passes.empty())
    printEmptyPanel("passes", "Passes", os);
  os << "</div>\n</main>\n<script type=\"application/json\" id=\"data\">"
     << gatherData(page, emit, options) << "</script>\n<script>(() => {\n\"use strict\";\n"
     << script() << "})();</script>\n</body></html>\n";
  return success();
}
