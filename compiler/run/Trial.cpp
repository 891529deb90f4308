//===- Trial.cpp - One kernel on one set of values, under every timing ----===//
//
// Timing must never change a result, so all runs are also compared with the first,
// bit for bit, unless the kernel adds to a tensor in no promised order.
//
//===----------------------------------------------------------------------===//
#include "run/Trial.h"

#include "run/Comparison.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tkc::run;

llvm::json::Value tkc::run::toJSON(const Outcome &outcome) {
  return json::Object{{"runs", outcome.runs},
                      {"policy", json::fixUTF8(outcome.policy)},
                      {"problem", json::fixUTF8(outcome.problem)},
                      {"report", json::fixUTF8(outcome.report)}};
}

bool tkc::run::fromJSON(const json::Value &value, Outcome &outcome, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("runs", outcome.runs) && map.map("policy", outcome.policy) &&
         map.map("problem", outcome.problem) && map.map("report", outcome.report);
}

int tkc::run::numSmsOf(uint64_t seed) { return 4 - int(seed % 4); }

namespace {
/// The tensors of a trial, and their contents before a run.
class Arguments {
public:
  explicit Arguments(const Trial &trial) : subject(*trial.subject) {
    std::seed_seq seeds{uint32_t(trial.seed), uint32_t(trial.seed >> 32)};
    std::mt19937_64 random(seeds);
    for (const Argument &argument : subject.signature.arguments)
      if (!argument.scalar)
        add(argument, trial, random);
  }

  /// Empty, or why the call failed.
  std::string call(const Call &call) {
    std::vector<tk_tensor> views;
    for (auto [tensor, bytes] : zip(tensors, before)) {
      tensor.restore(bytes);
      views.push_back(tensor.view());
    }
    CallResult result = memory.call(call, views, subject.scalars);
    report = result.report;
    if (result.code == TK_OK)
      return strayWrites();
    return !result.message.empty() ? result.message
                                   : "it failed with code " + std::to_string(result.code);
  }

  /// The emulator's, of the last call.
  std::string report;

  std::vector<std::vector<uint8_t>> results() const {
    std::vector<std::vector<uint8_t>> bytes;
    for (const TestTensor &tensor : tensors)
      bytes.push_back(tensor.save());
    return bytes;
  }

  /// Whether the last call has left the same bytes everywhere.
  bool equal(const std::vector<std::vector<uint8_t>> &results) const {
    return llvm::all_of(llvm::zip(tensors, results),
                        [](auto pair) { return std::get<0>(pair).equals(std::get<1>(pair)); });
  }

  /// The first difference between the outputs of the last call and the wanted ones.
  std::string compare(const std::vector<std::vector<uint8_t>> &wanted, double tolerance) const {
    for (auto [argument, tensor, bytes] : zip(described, tensors, wanted))
      if (argument->isWritten)
        if (std::string problem = tkc::run::compare(argument->name, tensor, bytes, tolerance);
            !problem.empty())
          return problem;
    return {};
  }

private:
  const Subject &subject;
  CallMemory memory;
  std::vector<const Argument *> described;
  std::vector<TestTensor> tensors;
  std::vector<std::vector<uint8_t>> before;

  void add(const Argument &argument, const Trial &trial, std::mt19937_64 &random) {
    described.push_back(&argument);
    TestTensor &tensor = tensors.emplace_back(argument.type, extentsOf(argument, trial.shape),
                                              isInFragments(argument) ? 0 : int64_t(trial.seed % 3),
                                              [&](size_t bytes) { return memory.take(bytes); });
    // Seeds after the first also try values of other magnitudes.
    constexpr double scales[] = {1, 1, 4, 0.25};
    double scale = trial.seed == 0 ? 1 : scales[random() % std::size(scales)];
    if (argument.rowNumbers && argument.type == TK_I32)
      tensor.fillWithRows(random, extentOf(*argument.rowNumbers, trial.shape),
                          argument.rowNumbers->areDistinct);
    else if (argument.isRead || !argument.isWritten)
      tensor.fill(random, scale, smallestExtent(trial.shape));
    before.push_back(tensor.save());
  }

  /// The rows of a tensor in fragment order follow one another.
  static bool isInFragments(const Argument &argument) {
    return llvm::any_of(argument.dimensions,
                        [](const Dimension &dimension) { return dimension.multiple > 1; });
  }

  int64_t extentOf(const RowNumbers &rows, const Shape &shape) const {
    return extentsOf(subject.signature.arguments[rows.argument], shape)[rows.dim];
  }

  /// The bound of other random integers, since they may be indices into any tensor.
  int64_t smallestExtent(const Shape &shape) const {
    int64_t smallest = INT32_MAX;
    for (const Argument &argument : subject.signature.arguments)
      for (int64_t extent : extentsOf(argument, shape))
        smallest = std::min(smallest, std::max<int64_t>(1, extent));
    return smallest;
  }

  std::string strayWrites() const {
    for (auto [argument, tensor, bytes] : zip(described, tensors, before)) {
      if (!argument->isWritten && !tensor.equals(bytes))
        return argument->name + ", which is an input, was written to";
      if (!tensor.surroundingsEqual(bytes))
        return "memory outside the elements of " + argument->name + " was written to";
    }
    return {};
  }
};
} // namespace

Outcome tkc::run::runTrial(const Trial &trial, const Programs &programs,
                           const std::vector<std::string> &policies, double tolerance,
                           llvm::function_ref<void(StringRef)> begin) {
  const Subject &subject = *trial.subject;
  Outcome outcome;
  Arguments arguments(trial);
  std::vector<std::vector<uint8_t>> wanted, first;
  if (!programs.reference.empty()) {
    begin("reference");
    outcome.problem = arguments.call({programs.reference, subject.number, trial.seed, "", 0});
    if (!outcome.problem.empty())
      return outcome;
    wanted = arguments.results();
  }
  for (const std::string &policy : policies) {
    begin(policy);
    ++outcome.runs;
    outcome.problem = arguments.call(
        {programs.emulated, subject.number, trial.seed, policy, numSmsOf(trial.seed)});
    outcome.report = arguments.report;
    if (outcome.problem.empty() && !first.empty() && arguments.equal(first))
      continue; // those were right
    if (outcome.problem.empty() && !wanted.empty())
      outcome.problem = arguments.compare(wanted, tolerance);
    if (outcome.problem.empty() && !first.empty() && !subject.signature.accumulates)
      outcome.problem = arguments.compare(first, /*tolerance=*/-1);
    if (!outcome.problem.empty()) {
      outcome.policy = policy;
      return outcome;
    }
    if (first.empty())
      first = arguments.results();
  }
  return outcome;
}
