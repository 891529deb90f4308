//===- HazardState.h - Accesses in flight at a point of a role ------------===//
//
// The state that Hazards.cpp carries through a role. All of it only grows when
// two paths meet, and ages and distances are capped, so loops reach a fixpoint.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_HAZARDSTATE_H
#define TKC_ANALYSIS_HAZARDSTATE_H

#include "analysis/hazards/SharedPlaces.h"
#include <map>
#include <set>

namespace tkc {

/// Who has met since an access: nobody, this warpgroup, all consumers.
enum class Reach { Thread, Warpgroup, Consumers };

/// An MMA that may be in flight.
struct PendingMma {
  int64_t age = 0;             ///< groups closed after its own, at least
  bool isOpen = true;          ///< no group holds it yet
  std::set<SharedPlace> reads; ///< of its operands, those that threads write
  bool operator==(const PendingMma &) const = default;
};

/// A TMA store that may still read its buffer.
struct PendingStore {
  int64_t age = 0;
  bool isKnownToLeader = false;  ///< the leader has waited for it, the others do not know
  Reach known = Reach::Thread;   ///< who has met the leader since
  bool isFromBeforeLoop = false; ///< it began before the unrolled loop around the present point
  bool operator==(const PendingStore &) const = default;
};

/// Shared memory that this warpgroup's threads have written.
struct PendingWrite {
  bool isFenced = false;         ///< the async proxy can see the writer's own part
  Reach written = Reach::Thread; ///< who can be sure that all of it is written
  Reach visible = Reach::Thread; ///< the same, once the writers had fenced
  bool operator==(const PendingWrite &) const = default;
};

struct HazardState {
  /// Older groups than this count as this old: wait_wgmma goes up to 7.
  static constexpr int64_t maxAge = 7;
  /// More iterations ago than this count as this many.
  static constexpr int64_t maxDistance = 2;

  /// (MMA, iterations of its loop ago); operations are numbered in program order.
  std::map<std::pair<unsigned, int64_t>, PendingMma> mmas;
  std::map<std::pair<unsigned, SharedPlace>, PendingStore> stores;
  std::map<std::pair<unsigned, SharedPlace>, PendingWrite> writes;
  /// Read by this warpgroup's threads, or by MMAs that each of them has waited for, and who
  /// can be sure that it is over.
  std::map<std::pair<unsigned, SharedPlace>, Reach> reads;
  /// Of rings that TMA fills, read by this thread since its last fence. An arrival does not wait
  /// for its loads, and the next TMA load does not queue behind them.
  std::set<unsigned> unfencedReads;
  std::set<unsigned> olderUnfencedReads; ///< the same, of iterations before this one
  /// Variables in registers, by class, that this thread's code used since the last fence.
  std::set<unsigned> touched;
  /// Variables that a fence has handed over and no MMA has taken yet. After a wait
  /// for an mbarrier, which is a loop of this thread, or for MMAs, ptxas wants the fence anew
  /// (C7519).
  std::set<unsigned> fenced;
  bool isGridWaited = false;

  bool operator==(const HazardState &) const = default;

  void closeGroup() {
    for (auto &[key, mma] : mmas) {
      mma.age = mma.isOpen ? 0 : std::min(mma.age + 1, maxAge);
      mma.isOpen = false;
    }
  }
  /// The whole warpgroup is known to have read the operands of these: a group is all of its
  /// MMA, of which no warp waits for a part (PTX ISA, wgmma.commit_group).
  void waitWgmma(int64_t pending) {
    for (auto entry = mmas.begin(); entry != mmas.end();) {
      auto &[key, mma] = *entry;
      bool isOver = !mma.isOpen && mma.age >= pending;
      if (isOver)
        for (const SharedPlace &place : mma.reads)
          reads[{key.first, place}] = Reach::Warpgroup;
      entry = isOver ? mmas.erase(entry) : std::next(entry);
    }
  }
  void fenceRegisters() {
    fenced.insert(touched.begin(), touched.end());
    touched.clear();
  }
  void takeBackFenced() {
    touched.insert(fenced.begin(), fenced.end());
    fenced.clear();
  }
  void addStore(unsigned op, const SharedPlace &place) {
    for (auto &[key, store] : stores)
      store.age = std::min(store.age + 1, maxAge);
    stores[{op, place}] = PendingStore();
  }
  void waitStores(int64_t pending) {
    for (auto &[key, store] : stores)
      store.isKnownToLeader |= store.age >= pending;
  }
  /// Threads meet. Accesses that everyone knows of are forgotten.
  void sync(Reach reach) {
    for (auto &[key, store] : stores)
      if (store.isKnownToLeader)
        store.known = std::max(store.known, reach);
    std::erase_if(stores, [](auto &entry) { return entry.second.known == Reach::Consumers; });
    for (auto &[key, write] : writes) {
      write.written = std::max(write.written, reach);
      if (write.isFenced)
        write.visible = std::max(write.visible, reach);
    }
    std::erase_if(writes, [](auto &entry) { return entry.second.visible == Reach::Consumers; });
    for (auto &[key, known] : reads)
      known = std::max(known, reach);
    std::erase_if(reads, [](auto &entry) { return entry.second == Reach::Consumers; });
  }
  void fenceAsyncProxy() {
    for (auto &[key, write] : writes)
      write.isFenced = true;
    unfencedReads.clear();
    olderUnfencedReads.clear();
  }

  /// Another iteration of a loop begins, which holds the MMAs for which `isInLoop`.
  template <typename Predicate> void shiftDistances(Predicate isInLoop) {
    decltype(mmas) shifted;
    for (auto &[key, mma] : mmas) {
      int64_t distance = isInLoop(key.first) ? std::min(key.second + 1, maxDistance) : key.second;
      addMma(shifted, {key.first, distance}, mma);
    }
    mmas = std::move(shifted);
    olderUnfencedReads.merge(unfencedReads);
    unfencedReads.clear();
  }

  /// The state where two paths meet.
  void join(const HazardState &other) {
    for (auto &[key, mma] : other.mmas)
      addMma(mmas, key, mma);
    for (auto &[key, store] : other.stores) {
      auto [place, isNew] = stores.try_emplace(key, store);
      if (isNew)
        continue;
      place->second.age = std::min(place->second.age, store.age);
      place->second.isKnownToLeader &= store.isKnownToLeader;
      place->second.known = std::min(place->second.known, store.known);
      place->second.isFromBeforeLoop &= store.isFromBeforeLoop;
    }
    for (auto &[key, write] : other.writes) {
      auto [place, isNew] = writes.try_emplace(key, write);
      place->second.isFenced &= write.isFenced;
      place->second.written = std::min(place->second.written, write.written);
      place->second.visible = std::min(place->second.visible, write.visible);
    }
    for (auto &[key, known] : other.reads) {
      auto [place, isNew] = reads.try_emplace(key, known);
      place->second = std::min(place->second, known);
    }
    unfencedReads.insert(other.unfencedReads.begin(), other.unfencedReads.end());
    olderUnfencedReads.insert(other.olderUnfencedReads.begin(), other.olderUnfencedReads.end());
    touched.insert(other.touched.begin(), other.touched.end());
    fenced.insert(other.fenced.begin(), other.fenced.end());
    isGridWaited &= other.isGridWaited;
  }

private:
  static void addMma(decltype(mmas) &to, std::pair<unsigned, int64_t> key, const PendingMma &mma) {
    auto [place, isNew] = to.try_emplace(key, mma);
    if (isNew)
      return;
    place->second.age = std::min(place->second.age, mma.age);
    place->second.isOpen |= mma.isOpen;
    place->second.reads.insert(mma.reads.begin(), mma.reads.end());
  }
};

} // namespace tkc

#endif // TKC_ANALYSIS_HAZARDSTATE_H
