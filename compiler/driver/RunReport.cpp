//===- RunReport.cpp - Reports of runs of kernels -------------------------===//
#include "driver/RunPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::run;

std::string tkc::describe(const Trial &trial) {
  return formatv("{0} at {1}, seed {2}", trial.subject->signature.name,
                 toString(trial.subject->signature, trial.shape), trial.seed);
}

/// An argument as a shell reads it back.
static std::string quoteForShell(StringRef argument) {
  if (!argument.empty() &&
      all_of(argument, [](char c) { return isAlnum(c) || StringRef("_-+=./:,@%").contains(c); }))
    return argument.str();
  std::string quoted = "'";
  for (char c : argument)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// The command that repeats a run alone.
static std::string repeatCommand(const RunOptions &options, const Trial &trial,
                                 const std::string &policy) {
  std::string command;
  raw_string_ostream os(command);
  auto add = [&](StringRef text) {
    os << " ";
    os << quoteForShell(text);
  };
  os << "tkc run --emulate";
  add(options.source.input);
  for (auto [option, values] :
       {std::pair("-D", &options.source.defines), std::pair("-I", &options.source.includeDirs)})
    for (const std::string &value : *values)
      add(option + value);
  for (auto [option, values] : {std::pair("--clang", &options.source.clangArguments),
                                std::pair("--instantiate", &options.source.instances),
                                std::pair("--set", &options.scalars)})
    for (const std::string &value : *values)
      add(std::string(option) + "=" + value);
  if (!options.emitted.empty())
    add("--emitted=" + options.emitted);
  add("--kernel=" + trial.subject->signature.name);
  add("--shape=" + toString(trial.subject->signature, trial.shape));
  add("--seed=" + std::to_string(trial.seed));
  if (options.isUncontracted)
    add("--no-contraction");
  // Whether a result depends on timing shows only beside other timings.
  if (!policy.empty() && !options.skipsReference)
    add("--policy=" + policy);
  return command;
}

void tkc::tellAsText(const RunOptions &options, const RunPlan &plan, const RunResults &results) {
  for (const RunFailure &failure : results.failures) {
    const Trial &trial = plan.trials[failure.trial];
    const Outcome &outcome = failure.outcome;
    WithColor::error(errs(), "tkc", !options.source.color) << describe(trial);
    if (!outcome.policy.empty())
      errs() << ", policy " << outcome.policy;
    // The report of a fault begins with the problem.
    if (outcome.report.empty())
      errs() << ": " << outcome.problem << "\n";
    else
      errs() << ":\n" << StringRef(outcome.report).rtrim() << "\n";
    errs() << "  again: " << repeatCommand(options, trial, outcome.policy) << "\n";
  }
  for (auto [subject, runs] : zip(plan.subjects, results.runs)) {
    auto own = [&](const Trial &trial) { return trial.subject == &subject; };
    int64_t trials = count_if(plan.trials, own);
    int64_t failed = count_if(results.failures, [&](const RunFailure &failure) {
      return own(plan.trials[failure.trial]);
    });
    int64_t seeds = options.seed ? 1 : options.seeds;
    outs() << subject.signature.name << ": ";
    if (failed)
      outs() << failed << (failed == 1 ? " problem" : " problems") << " in " << runs << " runs\n";
    else if (runs == trials * int64_t(options.policies.size()))
      outs() << formatv("{0} runs are right: {1} shapes x {2} seeds x {3} policies\n", runs,
                        trials / seeds, seeds, options.policies.size());
    else
      outs() << runs << " runs are right, the others were not started\n";
  }
  outs() << formatv("{0:f1} s\n", results.seconds);
}

void tkc::tellAsJson(const RunOptions &options, const RunPlan &plan, const RunResults &results) {
  json::OStream os(outs(), /*IndentSize=*/2);
  os.object([&] {
    os.attributeArray("kernels", [&] {
      for (auto [subject, runs] : zip(plan.subjects, results.runs))
        os.value(json::Object{{"name", subject.signature.name}, {"runs", runs}});
    });
    os.attributeArray("problems", [&] {
      for (const RunFailure &failure : results.failures) {
        const Trial &trial = plan.trials[failure.trial];
        const Outcome &outcome = failure.outcome;
        os.value(
            json::Object{{"kernel", trial.subject->signature.name},
                         {"shape", toString(trial.subject->signature, trial.shape)},
                         {"seed", int64_t(trial.seed)},
                         {"policy", outcome.policy},
                         {"problem", json::fixUTF8(outcome.problem)},
                         {"report", json::fixUTF8(outcome.report)},
                         {"again", json::fixUTF8(repeatCommand(options, trial, outcome.policy))}});
      }
    });
    os.attribute("seconds", results.seconds);
  });
  outs() << "\n";
}
