//===- ReportText.cpp - Reports for people --------------------------------===//
#include "report/Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tkc;
using llvm::formatv;

static std::string join(llvm::ArrayRef<std::string> parts) {
  return parts.empty() ? "nothing" : llvm::join(parts, ", ");
}

static void printRoles(const KernelReport &report, llvm::raw_ostream &out) {
  out << "roles, and the registers of a thread that tiles take, line by line in the CUDA's order\n";
  for (const RoleReport &role : report.roles) {
    if (role.warps) {
      out << formatv("  {0}: {1} warp{2} of the producer's warpgroup, with its registers\n",
                     role.kind, role.warps, role.warps == 1 ? "" : "s");
      continue;
    }
    out << formatv("  {0}: {1} warpgroup{2}", role.kind, role.warpgroups,
                   role.warpgroups == 1 ? "" : "s");
    if (role.registers)
      out << formatv(", {0} registers a thread", role.registers);
    out << formatv(", tiles take {0}, ptxas is expected to use {1}{2}\n", role.peak,
                   role.isBound ? "at most " : "", role.predicted);
    if (role.most)
      out << formatv("    needs {0}{1} registers not to spill and not to serialise wgmma{2}\n",
                     role.least, role.most == role.least ? "" : formatv(" to {0}", role.most).str(),
                     role.mayNotFit ? ": it may not fit" : "");
    for (const RegisterPoint &point : role.curve)
      out << formatv("    line {0,4}: {1,4}  {2}\n", point.line, point.registers,
                     join(point.alive));
  }
}

static void printPtxas(const PtxasReport &ptxas, llvm::raw_ostream &out) {
  out << formatv(
      "  ptxas: threads start with {0} registers; {1} bytes of spill stores, {2} of spill "
      "loads\n",
      ptxas.registers, ptxas.spilledStores, ptxas.spilledLoads);
  for (const std::string &message : ptxas.messages)
    out << "    " << message << "\n";
}

static void printShared(const KernelReport &report, llvm::raw_ostream &out) {
  out << formatv("shared memory: {0} of {1} bytes\n", report.sharedBytes, report.sharedBudget);
  for (const BufferReport &buffer : report.buffers) {
    out << formatv("  {0,6}  {1}: {2} x {3} bytes, swizzle {4}\n", buffer.offset, buffer.name,
                   buffer.stages, buffer.stageBytes, buffer.swizzle);
    if (!buffer.reason.empty())
      out << "          " << buffer.reason << "\n";
  }
  for (const BarrierReport &barrier : report.barriers) {
    out << formatv("  {0,6}  {1}: {2} mbarrier{3}, {4} arrival{5}\n", barrier.offset, barrier.name,
                   barrier.stages, barrier.stages == 1 ? "" : "s", barrier.arrivals,
                   barrier.arrivals == 1 ? "" : "s");
    out << formatv("          {0}; arrives: {1}; waits: {2}\n", barrier.guards, barrier.arrives,
                   barrier.waits);
  }
}

static void printRemarks(llvm::StringRef title, const std::vector<RemarkReport> &remarks,
                         llvm::raw_ostream &out) {
  out << "\n" << title << "\n";
  if (remarks.empty())
    out << "  nothing\n";
  for (const RemarkReport &remark : remarks)
    out << formatv("  line {0,4}  {1}: {2}\n", remark.line, remark.pass, remark.text);
}

static void print(const KernelReport &report, llvm::raw_ostream &out) {
  out << formatv("kernel {0}: {1} threads a block", report.name, report.threads);
  if (report.blocksPerSm > 1)
    out << formatv(", {0} blocks on an SM", report.blocksPerSm);
  out << "\n\n";
  printRoles(report, out);
  if (report.ptxas)
    printPtxas(*report.ptxas, out);
  out << "\n";
  printShared(report, out);
  out << "\nwaits, fences and barriers\n";
  for (const WaitReport &wait : report.waits)
    out << formatv("  line {0,4}  {1}: {2}: {3}\n", wait.line, wait.role, wait.op, wait.reason);
  out << "\naccesses of shared memory\n";
  for (const AccessReport &access : report.accesses) {
    out << formatv("  line {0,4}  {1}: {2} of {3}: ", access.line, access.role, access.how,
                   access.buffer);
    if (access.ways == 1)
      out << "conflict-free";
    else
      out << access.ways << "-way conflict";
    out << " (" << access.pattern << ")\n";
  }
  printRemarks("optimisations", report.done, out);
  printRemarks("not done, and why", report.missed, out);
  out << "\nlimiter, "
      << (report.limitLine
              ? formatv("one iteration of the loop on line {0}", report.limitLine).str()
              : std::string("one tile"))
      << ", cycles of an SM\n";
  const LimitReport *limiter = report.getLimiter();
  for (const LimitReport &limit : report.limits)
    out << formatv("  {0,8:F0}  {1}: {2}{3}\n", limit.cycles, limit.part, limit.arithmetic,
                   &limit == limiter ? " <- limits" : "");
}

void tkc::printReportsAsText(llvm::ArrayRef<KernelReport> reports, llvm::raw_ostream &out) {
  for (const KernelReport &report : reports) {
    if (&report != reports.begin())
      out << "\n";
    print(report, out);
  }
}
