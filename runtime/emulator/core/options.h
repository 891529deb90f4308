//===- core/options.h - Seed, policy and size of the emulated GPU ---------===//
//
// Read from the environment (TK_EMULATOR_SEED, TK_EMULATOR_POLICY,
// TK_EMULATOR_SMS, TK_EMULATOR_PATIENCE) or set by tk_emulator_configure, which wins.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_OPTIONS_H
#define TK_EMULATOR_CORE_OPTIONS_H

#include <cstdint>
#include <string>

namespace tk::emulator {

// When asynchronous operations take place, and which threads run first. All of them are legal
// timings.
enum class policy {
  random,         // anything, by the seed
  latest,         // asynchronous operations only when no thread can run
  earliest,       // asynchronous operations as soon as they are issued
  starve,         // one warpgroup, by the seed, runs only when no other can
  consumer_first, // higher warpgroups before lower ones
};

const char *name_of(policy);

struct options {
  uint64_t seed = 0;
  policy timing = policy::random;
  int num_sms = 4;
  int patience = 5; // seconds that a thread may compute without any instruction of the runtime
};

// For the next launch. `problem` is set if the environment asks for something unknown.
options current_options(std::string &problem);

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_OPTIONS_H
