//===- ResourceLimits.h - An end to every compilation ---------------------===//
#ifndef TKC_DRIVER_RESOURCELIMITS_H
#define TKC_DRIVER_RESOURCELIMITS_H

#include <cstdint>
#include <string>

namespace tkc {

/// Far beyond what any program here takes: 2 s and 50 MiB.
inline constexpr unsigned defaultTimeLimit = 60;     // seconds of processor time
inline constexpr unsigned defaultMemoryLimit = 2048; // MiB
/// A busy machine or a slow pipe may take this many times the time limit on the clock.
inline constexpr unsigned clockPerTime = 10;

/// While it lives, the process ends with status 1 and a message about `input` once it has computed
/// for `seconds`, waited for `clockPerTime` times as long, or asked for more than `mebibytes` of
/// memory. 0 is no limit. `stackBytes` of a thread that starts meanwhile do not count: little of
/// them is ever used. `work` is what the messages say after "takes more than ... to". One at a
/// time; it must not live while files are written.
class ResourceLimits {
public:
  ResourceLimits(const char *tool, const std::string &input, unsigned seconds, unsigned mebibytes,
                 uint64_t stackBytes = 0,
                 const char *work = "compile; simplify it, or give more with");
  ~ResourceLimits();
  ResourceLimits(const ResourceLimits &) = delete;
  ResourceLimits &operator=(const ResourceLimits &) = delete;

  /// To be called after a crash: ends the process as the memory limit does, if little was left of
  /// it. Libraries do not check every allocation.
  void endIfMemoryIsShort() const;

  /// For another thread that starts and ends meanwhile, whose stack does not count either.
  void addStack(uint64_t bytes) { changeMemory(int64_t(bytes)); }
  void removeStack(uint64_t bytes) { changeMemory(-int64_t(bytes)); }

private:
  void limitTime(unsigned seconds);
  void limitMemory(uint64_t bytes);
  void changeMemory(int64_t bytes);

  void *timers[2] = {};
  unsigned armed = 0;
  bool limitsMemory = false;
  uint64_t memoryBefore = 0, stackBytes;
};

} // namespace tkc

#endif // TKC_DRIVER_RESOURCELIMITS_H
