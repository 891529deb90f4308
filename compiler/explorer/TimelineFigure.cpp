//===- TimelineFigure.cpp - The timeline as SVG ---------------------------===//
//
// A row for each role, L2 and the tensor cores; below a role's bars those that a
// run has measured, if there is one. Shapes carry the number of their statement, by
// which the script selects what belongs to them.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using namespace tkc;
using namespace tkc::explorer;

static int64_t whole(double number) { return std::llround(number); }

static constexpr StringLiteral spanClasses[] = {"issue", "load", "mma", "elem",
                                                "mem",   "wait", "own", "arr"};
static constexpr int modelHeight = 26, barHeight = 18, thinHeight = 5, axisHeight = 22;
static constexpr int measuredHeight = 16; // of a role's second lane

/// Until when the shown iterations run: the end of the last one, or of everything.
static double shownEnd(const StaticTimeline &timeline) {
  double end = 0;
  for (const TimelineSpan &span : timeline.spans)
    if (span.iteration < shownIterations)
      end = std::max(end, span.iteration < 0 ? 0 : span.end);
  return end ? end : timeline.end;
}

namespace {
struct Shape {
  int64_t x, width;
  StringRef kind;
  unsigned statement;
  int64_t position = -1;
};
} // namespace

/// The number of the statement that an op is printed in: its own, or that of the op that has it as
/// an operand.
static std::optional<unsigned> statementOf(const Page &page, const KernelNames &names,
                                           mlir::Operation *op) {
  constexpr int deepest = 16;
  for (int depth = 0; op && depth < deepest; ++depth) {
    if (page.printed.contains(op))
      return names.statements.lookup(op);
    op = op->hasTrait<mlir::OpTrait::IsTerminator>() ? op->getParentOp()
         : op->use_empty()                           ? nullptr
                                                     : *op->user_begin();
  }
  return std::nullopt;
}

static void drawShape(raw_ostream &os, const Shape &shape, int64_t y) {
  bool isThin = shape.kind == "own"; // below the work of the role's threads
  int64_t height = isThin ? thinHeight : barHeight;
  y += barHeight - height;
  os << "<path class=\"" << shape.kind << "\" data-s=\"" << shape.statement << '"';
  if (shape.position >= 0)
    os << " data-p=\"" << shape.position << '"';
  os << " d=\"M" << shape.x << ' ' << y << "h" << std::max<int64_t>(1, shape.width) << "v" << height
     << "h-" << std::max<int64_t>(1, shape.width) << "z\"/>";
}

/// The spans of a row from left to right; neighbours of one statement are one shape, and what the
/// tensor cores do not use is a bubble.
static std::vector<Shape> shapesOfRow(const Page &page, const StaticTimeline &timeline,
                                      const KernelNames &names, unsigned row, double end,
                                      double scale) {
  std::vector<Shape> shapes;
  bool isTensorCores = row + 1 == timeline.rows.size();
  double free = -1;
  for (const TimelineSpan &span : timeline.spans) {
    if (span.row != row || span.begin >= end || span.iteration >= shownIterations)
      continue;
    std::optional<unsigned> statement = statementOf(page, names, span.op);
    if (!statement)
      continue;
    if (isTensorCores && free >= 0 && span.begin - free > 2)
      shapes.push_back(
          {whole(free * scale), whole((span.begin - free) * scale), "wait", *statement, -1});
    free = span.end;
    Shape shape{whole(span.begin * scale), whole((span.end - span.begin) * scale),
                spanClasses[int(span.kind)], *statement, span.position};
    if (!shapes.empty() && shapes.back().position == shape.position &&
        shapes.back().statement == shape.statement && shapes.back().kind == shape.kind &&
        shapes.back().x + shapes.back().width >= shape.x)
      shapes.back().width = shape.x + shape.width - shapes.back().x;
    else
      shapes.push_back(shape);
  }
  return shapes;
}

static void nameLimiter(const KernelReport &report, raw_ostream &os) {
  const LimitReport *limiter = report.getLimiter();
  if (!limiter) {
    os << "<p>Nothing was counted for this kernel: it has neither loads nor MMAs.</p>";
    return;
  }
  os << "<p><strong>Limiter: " << html(limiter->part) << "</strong>, "
     << formatv("{0:f0}", limiter->cycles) << " cycles ";
  if (report.limitLine)
    os << "an iteration of the loop on <a href=\"#s0-" << report.limitLine << "\">line "
       << report.limitLine << "</a>";
  else
    os << "a tile";
  os << ".</p>";
}

/// Cycles that one iteration needs from each part of the SM.
static void drawLimits(const KernelReport &report, raw_ostream &os) {
  const LimitReport *limiter = report.getLimiter();
  if (!limiter)
    return;
  os << "<h3>Cycles that " << (report.limitLine ? "one iteration" : "a tile")
     << " needs from each part of the SM</h3><table class=\"limits\">";
  double most = 0;
  for (const LimitReport &limit : report.limits)
    most = std::max(most, limit.cycles);
  for (const LimitReport &limit : report.limits)
    os << "<tr" << (&limit == limiter ? " class=\"limiter\"" : "") << "><th>" << html(limit.part)
       << "</th><td class=\"num\">" << formatv("{0:f0}", limit.cycles)
       << "</td><td><svg width=\"160\" height=\"10\"><rect class=\""
       << (limit.part == "HBM" ? "hbm" : "bar") << "\" width=\"" << whole(160 * limit.cycles / most)
       << "\" height=\"10\"/></svg></td><td>" << html(limit.arithmetic) << "</td></tr>";
  os << "</table>";
}

/// How much of the shown time each part of the SM works.
static void describeUse(const StaticTimeline &timeline, double end, raw_ostream &os) {
  int64_t iterations = 0;
  double mmas = 0, elements = 0, loads = 0;
  for (const TimelineSpan &span : timeline.spans) {
    iterations = std::max(iterations, std::min(span.iteration + 1, shownIterations));
    double cycles = std::max(0.0, std::min(span.end, end) - span.begin);
    if (span.kind == SpanKind::Mma)
      mmas += cycles;
    else if (span.kind == SpanKind::Elementwise)
      elements += cycles;
    else if (span.kind == SpanKind::Load)
      loads += cycles;
  }
  if (iterations)
    os << "<p>The first " << iterations << " iterations of one tile";
  else
    os << "<p>One tile";
  os << ", played with the rates of the table below and every unknown extent " << timeline.extent
     << ": " << whole(end) << " cycles. The tensor cores work in " << whole(100 * mmas / end)
     << " % of them, the elementwise pipes in " << whole(100 * elements / end) << " %, L2 in "
     << whole(100 * loads / end)
     << " %. Hatched: bubbles, in which a role waits or the tensor cores idle. This is a model, "
        "not "
        "a measurement.</p>";
}

/// The smallest of 1, 2, 5, 10, 20, ... cycles that leaves room for the numbers.
static int64_t tickStep(double scale) {
  constexpr double leastPixels = 70;
  for (int64_t unit = 1;; unit *= 10)
    for (int64_t step : {unit, 2 * unit, 5 * unit})
      if (step * scale >= leastPixels)
        return step;
}

static void drawAxis(double end, double scale, int64_t height, raw_ostream &os) {
  int64_t step = tickStep(scale);
  for (int64_t tick = 0; tick <= end; tick += step)
    os << "<path class=\"tick\" d=\"M" << whole(tick * scale) << " 0v" << height - axisHeight + 4
       << "\"/><text x=\"" << whole(tick * scale) + 3 << "\" y=\"" << height - 6 << "\">" << tick
       << "</text>";
}

/// The lane of what a role did when it was measured.
static void drawMeasured(ArrayRef<MeasuredSpan> spans, unsigned row, double end, double scale,
                         int64_t y, raw_ostream &os) {
  for (const MeasuredSpan &span : spans) {
    double begin = std::max(0.0, span.begin), stop = std::min(end, span.end);
    if (span.row != row || stop <= begin)
      continue;
    os << formatv("<path class=\"run {0}\" data-s=\"{1}\" d=\"M{2:f1} {3}h{4:f1}v{5}h-{4:f1}z\">"
                  "<title>{6}: {7} cycles</title></path>",
                  span.shape, span.statement, begin * scale, y,
                  std::max(1.0, (stop - begin) * scale - 1), measuredHeight - 5, html(span.name),
                  whole(span.end - span.begin));
  }
}

/// The chart: a row for each role, L2 and the tensor cores.
static void drawPlay(const Page &page, const PageKernel &kernel, raw_ostream &os) {
  const StaticTimeline &timeline = kernel.timeline;
  const KernelNames *names = page.lines.findNames(kernel.op);
  double end = shownEnd(timeline);
  if (!names || timeline.spans.empty() || end <= 0)
    return;
  describeUse(timeline, end, os);
  os << "<p class=\"legend\"><i class=\"load\"></i>load <i class=\"issue\"></i>start of a load or "
        "MMA "
        "<i class=\"mma\"></i>MMA, thin: of this role <i class=\"elem\"></i>elementwise <i "
        "class=\"mem\"></i>registers "
        "and shared memory <i class=\"wait\"></i>bubble</p>";
  double scale = 1600 / end;
  std::vector<MeasuredSpan> measured = placeMeasured(page, kernel);
  int64_t rowHeight = modelHeight + (measured.empty() ? 0 : measuredHeight);
  int64_t height = rowHeight * timeline.rows.size() + axisHeight;
  os << "<div class=\"chart" << (measured.empty() ? "" : " measured") << "\"><div class=\"rows\">";
  for (const std::string &row : timeline.rows)
    os << "<div>" << html(row) << "</div>";
  os << "<div>cycles</div></div><div class=\"scroll\"><svg class=\"timeline\" width=\"1610\" "
        "height=\""
     << height << "\" data-scale=\"" << formatv("{0:f6}", scale) << "\">";
  drawAxis(end, scale, height, os);
  for (unsigned row = 0; row < timeline.rows.size(); ++row) {
    for (const Shape &shape : shapesOfRow(page, timeline, *names, row, end, scale))
      drawShape(os, shape, row * rowHeight + 4);
    drawMeasured(measured, row, end, scale, row * rowHeight + modelHeight, os);
  }
  os << "</svg></div></div>";
}

void explorer::drawTimeline(const Page &page, const PageKernel &kernel, raw_ostream &os) {
  nameLimiter(kernel.report, os);
  drawPlay(page, kernel, os);
  drawRun(page, kernel, os);
  drawLimits(kernel.report, os);
}
