//===- core/launch.cpp - One launch, from its checks to its status --------===//
#include "core/crash.h"
#include "core/immortal.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstdio>
#include <cstring>
#include <mutex>

namespace tk::emulator {
namespace {

std::mutex one_at_a_time;
auto &last_report = make_immortal<std::string>();

tk_status status_of(int code, const std::string &message) {
  thread_local std::string kept;
  kept = message;
  return {code, kept.c_str()};
}

std::string problem_of(const launch_description &what) {
  if (what.threads < 1 || what.threads > 1024)
    return formatted("{}: a block has 1 to 1024 threads, not {}", what.kernel, what.threads);
  if (what.cluster < 0 || what.cluster > 16 ||
      (what.cluster > 1 && what.blocks % what.cluster != 0))
    return formatted("{}: {} blocks cannot be grouped into clusters of {}", what.kernel,
                     what.blocks, what.cluster);
  if (what.shared_bytes < 0 || uint32_t(what.shared_bytes) > shared_limit)
    return formatted("{}: a block needs {} bytes of shared memory when the device has {}",
                     what.kernel, what.shared_bytes, shared_limit);
  return {};
}

// Everything by the seed that is chosen once for a launch.
void seed(machine &m) {
  m.random.state = m.chosen.seed * 0x2545f4914f6cdd1d + 1;
  constexpr uint32_t odds[] = {2, 8, 32, 128, 512};
  m.async_odds = odds[m.random.below(5)];
  m.starved = int(m.random.below(64));
  m.elected_lane = int(m.random.below(32));
}

} // namespace

tk_status launch(const launch_description &what) {
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  last_report.clear();
  std::string problem = problem_of(what);
  machine m;
  m.what = &what;
  m.chosen = current_options(problem);
  if (!problem.empty())
    return status_of(TK_LAUNCH_FAILED, problem);
  seed(m);

  running = &m;
  if (const int signal = run_guarded(run_launch, m.chosen.patience)) {
    const thread &crashed = *current;
    fault_of(*crashed.home, site_of(crashed),
             signal == endless_loop
                 ? formatted("the thread has computed for {} seconds without an instruction of the "
                             "runtime: an endless loop",
                             m.chosen.patience)
                 : formatted("the thread crashed ({}) after this instruction: a wild access, or "
                             "more than {} KB of stack",
                             strsignal(signal), stack_pool::stack_bytes / 1024));
  }
  current = nullptr;
  position = nullptr;
  tk_status status = {TK_OK, ""};
  if (m.fault) {
    const rendered_report report = render(*m.fault);
    last_report = report.text;
    fputs(report.text.c_str(), stderr);
    status = status_of(TK_EMULATOR_FAULT, report.message);
  }
  drop_blocks();
  running = nullptr;
  return status;
}

} // namespace tk::emulator

__attribute__((visibility("default"))) void
tk::emulator::tk_emulator_give_stacks_128k(stack_pool::receiver *receive, stack_pool &to) {
  // Another thread's launch may hold it, and ask for the caller's.
  if (const std::unique_lock<std::mutex> guard(one_at_a_time, std::try_to_lock); guard)
    give_stacks(receive, to);
}

__attribute__((visibility("default"))) const char *tk_emulator_report(void) {
  return tk::emulator::last_report.c_str();
}
