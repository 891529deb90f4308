//===- ReportJson.cpp - Reports for tools ---------------------------------===//
#include "report/Report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tkc;

using llvm::json::OStream;

static void print(OStream &json, const RoleReport &role) {
  json.attribute("kind", role.kind);
  json.attribute("warpgroups", role.warpgroups);
  if (role.warps)
    json.attribute("warps", role.warps);
  json.attribute("registers", role.registers);
  json.attribute("tile_registers", role.peak);
  json.attribute("least_registers", role.least);
  json.attribute("predicted_registers", role.predicted);
  json.attribute("most_registers", role.most);
  json.attribute("may_not_fit", role.mayNotFit);
  json.attribute("prediction_is_bound", role.isBound);
  json.attributeArray("curve", [&] {
    for (const RegisterPoint &point : role.curve)
      json.object([&] {
        json.attribute("line", point.line);
        json.attribute("registers", point.registers);
        json.attributeArray("alive", [&] {
          for (const std::string &tile : point.alive)
            json.value(tile);
        });
      });
  });
}

static void print(OStream &json, const BufferReport &buffer) {
  json.attribute("name", buffer.name);
  json.attribute("offset", buffer.offset);
  json.attribute("stages", buffer.stages);
  json.attribute("stage_bytes", buffer.stageBytes);
  json.attribute("swizzle", buffer.swizzle);
  json.attribute("reason", buffer.reason);
}

static void print(OStream &json, const BarrierReport &barrier) {
  json.attribute("name", barrier.name);
  json.attribute("offset", barrier.offset);
  json.attribute("stages", barrier.stages);
  json.attribute("arrivals", barrier.arrivals);
  json.attribute("arrives", barrier.arrives);
  json.attribute("waits", barrier.waits);
  json.attribute("guards", barrier.guards);
}

static void print(OStream &json, const WaitReport &wait) {
  json.attribute("line", wait.line);
  json.attribute("role", wait.role);
  json.attribute("op", wait.op);
  json.attribute("reason", wait.reason);
}

static void print(OStream &json, const AccessReport &access) {
  json.attribute("line", access.line);
  json.attribute("role", access.role);
  json.attribute("how", access.how);
  json.attribute("buffer", access.buffer);
  json.attribute("ways", access.ways);
  json.attribute("pattern", access.pattern);
}

static void print(OStream &json, const RemarkReport &remark) {
  json.attribute("line", remark.line);
  json.attribute("pass", remark.pass);
  json.attribute("text", remark.text);
}

static void print(OStream &json, const LimitReport &limit) {
  json.attribute("part", limit.part);
  json.attribute("cycles", limit.cycles);
  json.attribute("arithmetic", limit.arithmetic);
}

static void print(OStream &json, const PtxasReport &ptxas) {
  json.attribute("registers", ptxas.registers);
  json.attribute("spill_store_bytes", ptxas.spilledStores);
  json.attribute("spill_load_bytes", ptxas.spilledLoads);
  json.attributeArray("messages", [&] {
    for (const std::string &message : ptxas.messages)
      json.value(message);
  });
}

template <typename Part>
static void printAll(OStream &json, llvm::StringRef name, const std::vector<Part> &parts) {
  json.attributeArray(name, [&] {
    for (const Part &part : parts)
      json.object([&] { print(json, part); });
  });
}

/// The version of the format; it grows when an entry changes, not when one is added.
static constexpr int formatNumber = 1;

void tkc::printReportsAsJson(llvm::ArrayRef<KernelReport> reports, llvm::raw_ostream &out) {
  OStream json(out, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("format", formatNumber);
  json.attributeArray("kernels", [&] {
    for (const KernelReport &report : reports)
      json.object([&] {
        json.attribute("kernel", report.name);
        json.attribute("threads", report.threads);
        json.attribute("blocks_per_sm", report.blocksPerSm);
        json.attribute("shared_bytes", report.sharedBytes);
        json.attribute("shared_budget", report.sharedBudget);
        printAll(json, "roles", report.roles);
        printAll(json, "buffers", report.buffers);
        printAll(json, "barriers", report.barriers);
        printAll(json, "waits", report.waits);
        printAll(json, "accesses", report.accesses);
        printAll(json, "done", report.done);
        printAll(json, "not_done", report.missed);
        if (report.ptxas)
          json.attributeObject("ptxas", [&] { print(json, *report.ptxas); });
        json.attribute("limit_line", report.limitLine);
        printAll(json, "limits", report.limits);
        if (const LimitReport *limiter = report.getLimiter())
          json.attribute("limiter", limiter->part);
      });
  });
  json.objectEnd();
  out << "\n";
}
