#include "core/options.h"
#include "core/interface.h"

#include <cstdlib>
#include <cstring>
#include <optional>

namespace tk::emulator {
namespace {

constexpr const char *names[] = {"random", "latest", "earliest", "starve", "consumer_first"};

std::optional<policy> policy_of(const char *name) {
  for (int i = 0; i < 5; ++i)
    if (strcmp(name, names[i]) == 0)
      return policy(i);
  return std::nullopt;
}

std::optional<uint64_t> configured_seed;
std::optional<policy> configured_policy;
int configured_sms = 0;

} // namespace

const char *name_of(policy p) { return names[int(p)]; }

options current_options(std::string &problem) {
  options result;
  if (configured_seed)
    result.seed = *configured_seed;
  else if (const char *seed = getenv("TK_EMULATOR_SEED"))
    result.seed = strtoull(seed, nullptr, 0);

  if (configured_policy)
    result.timing = *configured_policy;
  else if (const char *name = getenv("TK_EMULATOR_POLICY")) {
    if (const auto timing = policy_of(name))
      result.timing = *timing;
    else
      problem = std::string("TK_EMULATOR_POLICY is '") + name +
                "' but should be random, latest, earliest, starve or consumer_first";
  }
  result.num_sms = num_sms();
  if (const char *seconds = getenv("TK_EMULATOR_PATIENCE"))
    result.patience = atoi(seconds) < 1 ? 1 : atoi(seconds);
  return result;
}

bool has_static_order() {
  std::string problem; // the launch reports it
  const options chosen = current_options(problem);
  return (chosen.seed + uint64_t(chosen.timing)) % 2 == 1;
}

int num_sms() {
  if (configured_sms > 0)
    return configured_sms;
  const char *text = getenv("TK_EMULATOR_SMS");
  const int count = text ? atoi(text) : 4;
  return count < 1 ? 1 : count > 1024 ? 1024 : count;
}

} // namespace tk::emulator

__attribute__((visibility("default"))) int tk_emulator_configure(uint64_t seed,
                                                                 const char *policy_name, int sms) {
  using namespace tk::emulator;
  if (policy_name) {
    const auto timing = policy_of(policy_name);
    if (!timing)
      return -1;
    configured_policy = timing;
  }
  configured_seed = seed;
  if (sms > 0)
    configured_sms = sms;
  return 0;
}
