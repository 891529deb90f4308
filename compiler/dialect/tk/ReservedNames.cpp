//===- ReservedNames.cpp - Names that emitted code may not give -----------===//
#include "dialect/tk/ReservedNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace tkc;

static std::optional<NameOwner> findListed(StringRef name) {
  static const StringMap<NameOwner> owners = [] {
    StringMap<NameOwner> map;
    auto add = [&](NameOwner owner, StringRef words) {
      SmallVector<StringRef> list;
      words.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
      for (StringRef word : list)
        map.try_emplace(word, owner);
    };
#define TKC_NAMES(owner, words) add(NameOwner::owner, words);
#include "dialect/tk/ReservedNames.def"
    return map;
  }();
  auto found = owners.find(name);
  return found == owners.end() ? std::nullopt : std::optional(found->second);
}

/// cudaMalloc, cuInit, CUtensorMap, CUDA_SUCCESS
static bool hasCudaPrefix(StringRef name) {
  if (name.starts_with("cuda") || name.starts_with("CUDA_"))
    return true;
  const bool isDriver = name.consume_front("cu") && !name.empty() && isUpper(name.front());
  return isDriver || (name.consume_front("CU") && !name.empty() &&
                      (isLower(name.front()) || name.front() == '_'));
}

/// _Exit, __global__: the implementation's own.
static bool isForImplementations(StringRef name) {
  return name.consume_front("_") && !name.empty() && (name.front() == '_' || isUpper(name.front()));
}

/// sinf32, logf64x: what the C library has for each type of floating point.
static bool isOfSizedFloat(StringRef name) {
  name.consume_back("_r");
  name.consume_back("x");
  return any_of(ArrayRef<StringRef>{"f16", "f32", "f64", "f128"}, [&](StringRef size) {
    return name.ends_with(size) && findListed(name.drop_back(size.size())) == NameOwner::Library;
  });
}

bool tkc::hasRuntimePrefix(StringRef name) {
  return name.starts_with("tk_") || name.starts_with("TK_");
}

std::optional<NameOwner> tkc::findOwnerOfFunction(StringRef name) {
  if (hasRuntimePrefix(name))
    return NameOwner::Runtime;
  if (hasCudaPrefix(name))
    return NameOwner::Cuda;
  if (is_contained({"stages", "stage_bytes", "threads", "shared_bytes"}, name))
    return NameOwner::Spelled; // of each kernel's plan, which keeps them free itself
  if (isForImplementations(name))
    return NameOwner::Language;
  if (isOfSizedFloat(name))
    return NameOwner::Library;
  std::optional<NameOwner> owner = findListed(name);
  return owner == NameOwner::RuntimeFunction ? std::nullopt : owner;
}

bool tkc::isReservedForVariables(StringRef name) {
  std::optional<NameOwner> owner = findListed(name);
  return hasRuntimePrefix(name) ||
         (owner && owner != NameOwner::Cuda && owner != NameOwner::Library);
}
