//===- ExplorerFigures.cpp - Memory and registers as SVG ------------------===//
//
// Shapes carry the name of their ring or their source line, by which the script
// selects what belongs to them.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::explorer;

/// "49152 bytes" as "48 KiB" where that is exact.
static std::string sizeText(int64_t bytes) {
  return bytes % 1024 == 0 && bytes ? std::to_string(bytes / 1024) + " KiB"
                                    : std::to_string(bytes) + " bytes";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void explorer::drawMemory(const PageKernel &kernel, raw_ostream &os) {
  const KernelReport &report = kernel.report;
  constexpr int64_t width = 1000;
  double scale = double(width) / std::max<int64_t>(1, report.sharedBudget);
  os << "<p>" << report.sharedBytes << " of " << report.sharedBudget
     << " bytes of shared memory, to scale; " << report.sharedBudget - report.sharedBytes
     << " are left.</p><div class=\"scroll\"><svg class=\"memory\" width=\"1004\" height=\"64\">";
  os << "<rect class=\"free\" x=\"1\" y=\"8\" width=\"" << width << "\" height=\"34\"/>";
  for (const auto &[index, buffer] : llvm::enumerate(report.buffers)) {
    for (int64_t stage = 0; stage < buffer.stages; ++stage)
      os << formatv("<rect class=\"ring r{0}\" data-ring=\"{1}\" x=\"{2:f1}\" y=\"8\" "
                    "width=\"{3:f1}\" height=\"34\"/>",
                    index % 6, html(buffer.name),
                    1 + (buffer.offset + stage * buffer.stageBytes) * scale,
                    std::max(1.0, buffer.stageBytes * scale - 1));
    double x = 1 + buffer.offset * scale, room = buffer.stages * buffer.stageBytes * scale;
    if (room > 7 * double(buffer.name.size()))
      os << formatv("<text x=\"{0:f1}\" y=\"29\">{1}</text>", x + 5, html(buffer.name));
  }
  os << "<text x=\"1\" y=\"58\">0</text><text x=\"" << width - 44 << "\" y=\"58\">"
     << report.sharedBudget << "</text></svg></div>";
  os << "<table><tr><th>ring</th><th>from byte</th><th>depth</th><th>a stage</th><th>swizzle</th>"
        "<th>why so deep, and what one stage more would cost</th></tr>";
  for (const BufferReport &buffer : report.buffers)
    os << "<tr data-ring=\"" << html(buffer.name) << "\" tabindex=\"0\"><th>" << html(buffer.name)
       << "</th><td class=\"num\">" << buffer.offset << "</td><td class=\"num\">" << buffer.stages
       << "</td><td class=\"num\">" << sizeText(buffer.stageBytes) << "</td><td class=\"num\">"
       << buffer.swizzle << "</td><td>" << html(buffer.reason) << "</td></tr>";
  os << "</table>";
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void explorer::drawRegisters(const PageKernel &kernel, raw_ostream &os) {
  constexpr int64_t width = 320, mostRegisters = 256;
  auto x = [](int64_t registers) { return registers * width / mostRegisters; };
  for (const RoleReport &role : kernel.report.roles) {
    os << "<h3>" << html(role.kind) << ": "
       << (role.registers ? std::to_string(role.registers) + " registers a thread"
                          : std::string("registers as launched"))
       << "</h3><p>" << (role.warps ? role.warps : role.warpgroups)
       << (role.warps ? " warp" : " warpgroup")
       << ((role.warps ? role.warps : role.warpgroups) == 1 ? "" : "s")
       << (role.peak ? "; tiles take at most " + std::to_string(role.peak) : "; it holds no tiles")
       << ", ptxas is expected to use " << (role.isBound ? "at most " : "") << role.predicted
       << ".</p>";
    if (role.peak == 0)
      continue;
    os << "<table class=\"curve\"><tr><th>from line</th><th>registers of "
          "tiles</th><th>alive</th></tr>";
    for (const RegisterPoint &point : role.curve) {
      os << "<tr><td class=\"num\"><a href=\"#s0-" << point.line << "\">" << point.line
         << "</a></td><td><svg width=\"" << width + 50 << "\" height=\"14\"><rect class=\""
         << (point.registers > role.registers && role.registers ? "over" : "bar")
         << "\" y=\"1\" width=\"" << x(point.registers) << "\" height=\"12\"/>";
      if (role.registers)
        os << "<path class=\"budget\" d=\"M" << x(role.registers) << " 0v14\"/>";
      os << "<text x=\"" << x(point.registers) + 4 << "\" y=\"11\">" << point.registers
         << "</text></svg></td><td>";
      ListSeparator comma;
      for (const std::string &tile : point.alive)
        os << StringRef(comma) << html(tile);
      os << "</td></tr>";
    }
    os << "</table>";
  }
  os << "<p>The vertical line is the budget that <code>setmaxnreg</code> gives the role.</p>";
}
