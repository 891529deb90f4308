//===- MeasuredTrace.cpp - A run beside the model of the timeline ---------===//
//
// The run's records and the model's steps are read the same way: as marks, each of
// which begins a phase of its role. An iteration is what lies between the marks of
// one value of the loop's variable, if a role starts the MMA in it that it starts
// most often; a phase's time in it is the sum over its marks. The first two
// iterations of a tile fill the software pipeline and do not count, if there are
// others.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using namespace tkc;
using namespace tkc::explorer;

static constexpr StringLiteral wholeIteration = "iteration", mmaPhase = "MMA";
static constexpr double allowedDifference = 0.15;
static constexpr int64_t modelIterations = 24; // enough for the steady state

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static StringRef phaseOf(const profile::Point &point) {
  StringRef name = point.name;
  if (name.starts_with("MMA") || name == "wait wgmma")
    return mmaPhase;
  return name;
}

/// Whether it begins what --profile does not record.
static bool isUnrecorded(const profile::Point &point) { return point.name == "other iterations"; }

static StringRef shapeOf(const profile::Point &point) {
  return llvm::StringSwitch<StringRef>(phaseOf(point))
      .Case(mmaPhase, "mma")
      .Case("elementwise", "elem")
      .Case("shared memory", "mem")
      .Case("load", "load")
      .Case("store", "load")
      .StartsWith("wait", "wait")
      .Case("other iterations", "gap")
      .Default("issue");
}

namespace {
struct Mark {
  const profile::Point *point;
  double clock;
  unsigned tile;
  int64_t iteration;
};
using Marks = std::vector<Mark>;                 // of one thread, in order
using PhaseCycles = std::map<StringRef, double>; // of an iteration, and "iteration"
} // namespace

/// The MMA that most marks are at.
static const profile::Point *findAnchor(const Marks &marks) {
  std::map<int, unsigned> counts;
  const profile::Point *anchor = nullptr;
  for (const Mark &mark : marks)
    if (StringRef(mark.point->name).starts_with("MMA") &&
        (++counts[mark.point->id] > (anchor ? counts[anchor->id] : 0)))
      anchor = mark.point;
  return anchor;
}

namespace {
struct Iteration {
  int64_t number;
  PhaseCycles cycles;
};
} // namespace

/// Appends the iterations of one thread.
static void addIterations(const Marks &marks, std::vector<Iteration> &all) {
  const profile::Point *anchor = findAnchor(marks);
  for (size_t i = 0; i < marks.size() && anchor;) {
    Iteration iteration{marks[i].iteration, {}};
    bool hasAnchor = false;
    size_t first = i;
    for (; i < marks.size() && marks[i].iteration == marks[first].iteration &&
           marks[i].tile == marks[first].tile && !isUnrecorded(*marks[i].point);
         ++i) {
      double cycles = i + 1 < marks.size() ? marks[i + 1].clock - marks[i].clock : 0;
      iteration.cycles[phaseOf(*marks[i].point)] += cycles;
      iteration.cycles[wholeIteration] += cycles;
      hasAnchor |= marks[i].point == anchor;
    }
    if (hasAnchor && i < marks.size()) // the last mark has no end
      all.push_back(std::move(iteration));
    i += i == first;
  }
}

/// The median of each phase.
static PhaseCycles summarize(std::vector<Iteration> &iterations) {
  auto isSteady = [](const Iteration &iteration) { return iteration.number >= 2; };
  if (llvm::any_of(iterations, isSteady))
    llvm::erase_if(iterations, [&](const Iteration &iteration) { return !isSteady(iteration); });
  std::map<StringRef, std::vector<double>> samples;
  for (const Iteration &iteration : iterations)
    for (auto [phase, cycles] : iteration.cycles)
      samples[phase].push_back(cycles);
  PhaseCycles medians;
  for (auto &[phase, cycles] : samples) {
    cycles.resize(iterations.size()); // an iteration without the phase spends nothing in it
    llvm::sort(cycles);
    medians[phase] = cycles[cycles.size() / 2];
  }
  return medians;
}

//===----------------------------------------------------------------------===//
// Marks of the run and of the model
//===----------------------------------------------------------------------===//

static Marks marksOf(const profile::Stream &stream) {
  Marks marks;
  for (const profile::Record &record : stream.records)
    marks.push_back({record.point, double(record.clock), record.tile, record.iteration});
  return marks;
}

/// The model's steps at which a profiled kernel would record.
static Marks marksOf(const StaticTimeline &timeline, unsigned row, const KernelNames &names,
                     const profile::KernelTable &table) {
  Marks marks;
  for (const TimelineStep &step : timeline.steps) {
    auto statement = names.statements.find(step.op);
    if (step.row != row || statement == names.statements.end())
      continue;
    if (auto point = table.points.find(2 * statement->second); point != table.points.end())
      marks.push_back({&point->second, step.begin, 0, step.iteration});
    if (auto point = table.points.find(2 * statement->second + 1); point != table.points.end())
      marks.push_back({&point->second, step.end, 0, step.iteration});
  }
  return marks;
}

/// The stream whose records a row of the timeline is compared with; -1 for L2 and tensor cores.
static int streamOfRow(const StaticTimeline &timeline, unsigned row,
                       const profile::KernelTable &table) {
  auto roleOf = [&](unsigned r) { return StringRef(timeline.rows[r]).split(' ').first; };
  int number = 0;
  for (unsigned before = 0; before < row; ++before)
    number += roleOf(before) == roleOf(row);
  for (const auto &[index, stream] : llvm::enumerate(table.streams))
    if (stream.role == roleOf(row) && number-- == 0)
      return index;
  return -1;
}

static bool isOfKernel(const Page &page, const PageKernel &kernel) {
  return page.run && page.run->kernel->name == kernel.report.name;
}

/// The time of the first MMA; none if the marks have none.
static std::optional<double> firstMma(const Marks &marks) {
  for (const Mark &mark : marks)
    if (StringRef(mark.point->name).starts_with("MMA"))
      return mark.clock;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One tile on the axis of the model
//===----------------------------------------------------------------------===//

static uint64_t cyclesOf(const profile::Block &block) {
  uint64_t most = 0;
  for (const profile::Stream &stream : block.streams)
    most = std::max(most, stream.endClock - stream.beginClock);
  return most;
}

/// The block that runs for the median time.
static const profile::Block &typicalBlock(const profile::Run &run) {
  std::vector<const profile::Block *> blocks;
  for (const profile::Block &block : run.blocks)
    blocks.push_back(&block);
  auto middle = blocks.begin() + blocks.size() / 2;
  std::nth_element(blocks.begin(), middle, blocks.end(),
                   [](const auto *a, const auto *b) { return cyclesOf(*a) < cyclesOf(*b); });
  return **middle;
}

static Marks withoutOtherTiles(Marks marks, unsigned tile) {
  llvm::erase_if(marks, [&](const Mark &mark) { return mark.tile != tile; });
  return marks;
}

std::vector<MeasuredSpan> explorer::placeMeasured(const Page &page, const PageKernel &kernel) {
  std::vector<MeasuredSpan> spans;
  const KernelNames *names = page.lines.findNames(kernel.op);
  if (!names || !isOfKernel(page, kernel))
    return spans;
  const StaticTimeline &timeline = kernel.timeline;
  const profile::KernelTable &table = *page.run->kernel;
  const profile::Block &block = typicalBlock(*page.run);
  // The first tile of a block waits for memory more than the others.
  unsigned tile = 0;
  for (const profile::Stream &stream : block.streams)
    if (!stream.records.empty() && stream.records.back().tile > 0)
      tile = 1;
  std::optional<double> shift;
  for (unsigned row = 0; row < timeline.rows.size() && !shift; ++row) {
    int stream = streamOfRow(timeline, row, table);
    if (stream < 0)
      continue;
    std::optional<double> model = firstMma(marksOf(timeline, row, *names, table));
    std::optional<double> run = firstMma(withoutOtherTiles(marksOf(block.streams[stream]), tile));
    if (model && run)
      shift = *model - *run;
  }
  if (!shift)
    return spans;
  for (unsigned row = 0; row < timeline.rows.size(); ++row) {
    int stream = streamOfRow(timeline, row, table);
    if (stream < 0)
      continue;
    Marks marks = withoutOtherTiles(marksOf(block.streams[stream]), tile);
    for (size_t i = 0; i + 1 < marks.size(); ++i)
      spans.push_back({row, marks[i].clock + *shift, marks[i + 1].clock + *shift,
                       unsigned(marks[i].point->statement), marks[i].point->name,
                       shapeOf(*marks[i].point)});
  }
  return spans;
}

//===----------------------------------------------------------------------===//
// The whole run
//===----------------------------------------------------------------------===//

static void drawPhases(const PhaseCycles &model, const PhaseCycles &run, size_t iterations,
                       raw_ostream &os) {
  os << "<h3>An iteration of a consumer, measured and modelled</h3><p>Medians of " << iterations
     << " iterations, in cycles of the SM; differences of more than 15 % of the phase are "
        "marked.</p><table "
        "class=\"phases\"><tr><th>phase</th><th>measured</th><th>model</th><th>difference</th></"
        "tr>";
  auto row = [&](StringRef phase) {
    auto find = [&](const PhaseCycles &cycles) {
      auto found = cycles.find(phase);
      return found == cycles.end() ? 0.0 : found->second;
    };
    double measured = find(run), modelled = find(model);
    double whole = find(run) && phase.starts_with("wait") ? run.at(wholeIteration) : measured;
    // A wait is the rest of an iteration, so its difference is told as a share of that.
    double difference = whole ? (measured - modelled) /
                                    (phase.starts_with("wait") ? whole : std::max(modelled, 1.0))
                              : 0;
    bool isFar = std::abs(difference) > allowedDifference;
    os << formatv("<tr{0} data-phase=\"{1}\" data-measured=\"{2:f0}\" data-model=\"{3:f0}\"><th>{1}"
                  "</th><td class=\"num\">{2:f0}</td><td class=\"num\">{3:f0}</td><td "
                  "class=\"num\">{4:f0} %{5}</td></tr>",
                  isFar ? " class=\"differs\"" : "", html(phase), measured, modelled,
                  100 * difference, phase.starts_with("wait") ? " of the iteration" : "");
  };
  row(wholeIteration);
  for (const auto &[phase, cycles] : run)
    if (phase != wholeIteration)
      row(phase);
  os << "</table>";
}

/// When each block works, and so the tail.
static void drawBlocks(const profile::Run &run, raw_ostream &os) {
  constexpr double width = 1000;
  std::vector<std::pair<double, double>> blocks;
  double last = 0;
  for (const profile::Block &block : run.blocks) {
    double begin = INFINITY, end = 0;
    for (const profile::Stream &stream : block.streams) {
      begin = std::min(begin, run.timeOf(stream, stream.beginClock));
      end = std::max(end, run.timeOf(stream, stream.endClock));
    }
    blocks.push_back({begin, end});
    last = std::max(last, end);
  }
  std::vector<double> busy;
  for (auto [begin, end] : blocks)
    busy.push_back(last > 0 ? (end - begin) / last : 0);
  llvm::sort(busy);
  os << formatv(
      "<h3>The launch</h3><p>{0} blocks in {1:f1} us. Half of them are busy for less than "
      "{2:f0} % of it{3}</p>",
      blocks.size(), last / 1000, 100 * busy[busy.size() / 2],
      busy[busy.size() / 2] < 0.85 ? ": the launch has a long tail, in which few SMs work." : ".");
  int64_t height = std::max<int64_t>(1, 200 / blocks.size());
  os << formatv("<div class=\"scroll\"><svg class=\"blocks\" width=\"{0:f0}\" height=\"{1}\" "
                "data-busy=\"{2:f3}\"><path d=\"",
                width, height * blocks.size(), busy[busy.size() / 2]);
  for (const auto &[i, block] : llvm::enumerate(blocks))
    os << formatv("M{0:f1} {1}h{2:f1}v{3}h-{2:f1}z", block.first / last * width, i * height,
                  std::max(0.5, (block.second - block.first) / last * width), height);
  os << "\"/></svg></div><p>A line for each block, from its begin to its end.</p>";
}

void explorer::drawRun(const Page &page, const PageKernel &kernel, raw_ostream &os) {
  const KernelNames *names = page.lines.findNames(kernel.op);
  if (!names || !isOfKernel(page, kernel))
    return;
  const profile::Run &run = *page.run;
  os << "<p>Thin bars below a role's: one tile of a typical block as it was measured, placed so "
        "that "
        "the first MMA begins when the model's does. Pale: iterations that were not recorded.</p>";
  if (run.missing)
    os << "<p class=\"wrong\" id=\"missing\">The buffer of this run was too small: " << run.missing
       << " records are missing, and the bars end where they begin. A buffer of " << run.neededBytes
       << " bytes would hold them all; this one had " << run.bufferBytes << ".</p>";
  StaticTimeline timeline = playKernel(kernel.op, modelIterations);
  std::vector<Iteration> measured, modelled;
  for (unsigned row = 0; row < timeline.rows.size(); ++row) {
    int stream = streamOfRow(timeline, row, *run.kernel);
    if (stream < 0 || run.kernel->streams[stream].role != "consumer")
      continue;
    addIterations(marksOf(timeline, row, *names, *run.kernel), modelled);
    for (const profile::Block &block : run.blocks)
      addIterations(marksOf(block.streams[stream]), measured);
  }
  PhaseCycles model = summarize(modelled), median = summarize(measured);
  if (!measured.empty())
    drawPhases(model, median, measured.size(), os);
  drawBlocks(run, os);
}
