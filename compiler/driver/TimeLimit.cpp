//===- TimeLimit.cpp - An end to every compilation ------------------------===//
//
// Limits.cpp bounds what is known to explode in the parser: tokens, templates,
// constant evaluation. This is for what is not known, there or in a pass: whoever
// runs tkc in an editor or a build gets an answer. A timer of processor time sends
// a signal; its handler may only write and leave, so the message is made before.
//
//===----------------------------------------------------------------------===//
#include "driver/TimeLimit.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

using namespace tkc;

static std::string message;

static void stop(int) {
  // Nothing can be done if it is not written.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(1);
}

TimeLimit::TimeLimit(unsigned seconds, const std::string &input) {
  if (seconds == 0)
    return;
  message = "tkc: error: '" + input + "' takes more than " + std::to_string(seconds) +
            " seconds to compile; simplify it, or give more with --time-limit\n";
  std::signal(SIGXCPU, stop);
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  static_assert(sizeof(timer_t) == sizeof(timer));
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, reinterpret_cast<timer_t *>(&timer)) != 0)
    return; // a machine without such timers has no limit
  itimerspec when = {};
  when.it_value.tv_sec = seconds;
  isArmed = timer_settime(static_cast<timer_t>(timer), 0, &when, nullptr) == 0;
}

TimeLimit::~TimeLimit() {
  if (isArmed)
    timer_delete(static_cast<timer_t>(timer));
}
