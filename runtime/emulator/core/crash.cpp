#include "core/crash.h"
#include "core/machine.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>

namespace tk::emulator {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
sigjmp_buf way_out;
alignas(16) char signal_stack[64 * 1024];

void on_signal(int number) {
  if (current) // kernel code: leave its fiber for good
    siglongjmp(way_out, number);
  signal(number, SIG_DFL); // the emulator itself, or the host: not ours to hide
  raise(number);
}

} // namespace

int run_guarded(void (*work)()) {
  stack_t ours = {}, before = {};
  ours.ss_sp = signal_stack;
  ours.ss_size = sizeof signal_stack;
  sigaltstack(&ours, &before);

  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  struct sigaction old[std::size(signals)];
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &old[i]);

  const int number = sigsetjmp(way_out, 1);
  if (number == 0)
    work();

  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &old[i], nullptr);
  sigaltstack(&before, nullptr);
  return number;
}

} // namespace tk::emulator
