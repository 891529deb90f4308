//===- TimeLimit.h - An end to every compilation --------------------------===//
#ifndef TKC_DRIVER_TIMELIMIT_H
#define TKC_DRIVER_TIMELIMIT_H

#include <string>

namespace tkc {

/// While it lives, the process ends with status 1 and a message about `input` once it has computed
/// for `seconds` (of processor time, so that a busy machine changes nothing). 0 is no limit. One at
/// a time; it must not live while files are written.
class TimeLimit {
public:
  TimeLimit(unsigned seconds, const std::string &input);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;

private:
  void *timer = nullptr;
  bool isArmed = false;
};

} // namespace tkc

#endif // TKC_DRIVER_TIMELIMIT_H
