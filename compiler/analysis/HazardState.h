//===- HazardState.h - What is in flight at a point of a role -------------===//
//
// The state that Hazards.cpp carries through a role. All of it only grows when
// two ways meet, and ages and distances are capped, so loops reach a fixpoint.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_HAZARDSTATE_H
#define TKC_ANALYSIS_HAZARDSTATE_H

#include "dialect/hopper/Hopper.h"
#include <map>
#include <set>

namespace tkc {

/// A tile of shared memory as far as it is known: tile number base * scale + offset of a ring. An
/// unknown one may be any tile of the ring.
struct SharedPlace {
  mlir::Value ring;
  mlir::Value base; ///< null: counted from the ring's first tile
  int64_t scale = 1;
  int64_t offset = 0;
  bool isUnknown = false;

  bool mayBe(const SharedPlace &other) const {
    if (ring != other.ring && ring && other.ring)
      return false;
    if (isUnknown || other.isUnknown || base != other.base || (base && scale != other.scale))
      return true;
    return offset == other.offset;
  }
  auto getKey() const {
    return std::tuple(ring.getAsOpaquePointer(), base.getAsOpaquePointer(), scale, offset,
                      isUnknown);
  }
  bool operator<(const SharedPlace &other) const { return getKey() < other.getKey(); }
  bool operator==(const SharedPlace &other) const { return getKey() == other.getKey(); }
};

/// A product that may be in flight.
struct PendingProduct {
  int64_t age = 0;    ///< groups closed after its own, at least
  bool isOpen = true; ///< no group holds it yet
  bool operator==(const PendingProduct &) const = default;
};

/// A TMA store that may still read its buffer.
struct PendingStore {
  int64_t age = 0;
  bool isKnownToLeader = false;  ///< the leader has waited for it, the others do not know
  bool isFromBeforeLoop = false; ///< it began before the unrolled loop around the present point
  bool operator==(const PendingStore &) const = default;
};

struct HazardState {
  /// Older groups than this count as this old: wait_products goes up to 7.
  static constexpr int64_t maxAge = 7;
  /// More iterations ago than this count as this many.
  static constexpr int64_t maxDistance = 2;

  /// (product, iterations of its loop ago); operations are numbered in program order.
  std::map<std::pair<unsigned, int64_t>, PendingProduct> products;
  std::map<std::pair<unsigned, SharedPlace>, PendingStore> stores;
  /// Written by this warpgroup's threads and not visible to the async proxy; true once fenced.
  std::map<std::pair<unsigned, SharedPlace>, bool> writes;
  /// Read by this warpgroup's threads since they last met.
  std::set<std::pair<unsigned, SharedPlace>> reads;
  /// Variables in registers, by class, that this thread's code used since the last fence.
  std::set<unsigned> touched;
  bool isGridWaited = false;

  bool operator==(const HazardState &) const = default;

  void closeGroup() {
    for (auto &[key, product] : products) {
      product.age = product.isOpen ? 0 : std::min(product.age + 1, maxAge);
      product.isOpen = false;
    }
  }
  void waitProducts(int64_t pending) {
    std::erase_if(products,
                  [&](auto &entry) { return !entry.second.isOpen && entry.second.age >= pending; });
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
  void syncWarpgroup() {
    std::erase_if(stores, [](auto &entry) { return entry.second.isKnownToLeader; });
    std::erase_if(writes, [](auto &entry) { return entry.second; });
    reads.clear();
  }
  void fenceAsyncProxy() {
    for (auto &[key, isFenced] : writes)
      isFenced = true;
  }

  /// Another iteration of a loop begins, which holds the products for which `isInLoop`.
  template <typename Predicate> void shiftDistances(Predicate isInLoop) {
    decltype(products) shifted;
    for (auto &[key, product] : products) {
      int64_t distance = isInLoop(key.first) ? std::min(key.second + 1, maxDistance) : key.second;
      addProduct(shifted, {key.first, distance}, product);
    }
    products = std::move(shifted);
  }

  /// What holds where two ways meet.
  void join(const HazardState &other) {
    for (auto &[key, product] : other.products)
      addProduct(products, key, product);
    for (auto &[key, store] : other.stores) {
      auto [place, isNew] = stores.try_emplace(key, store);
      if (isNew)
        continue;
      place->second.age = std::min(place->second.age, store.age);
      place->second.isKnownToLeader &= store.isKnownToLeader;
      place->second.isFromBeforeLoop &= store.isFromBeforeLoop;
    }
    for (auto &[key, isFenced] : other.writes) {
      auto [place, isNew] = writes.try_emplace(key, isFenced);
      place->second = place->second && isFenced;
    }
    reads.insert(other.reads.begin(), other.reads.end());
    touched.insert(other.touched.begin(), other.touched.end());
    isGridWaited &= other.isGridWaited;
  }

private:
  static void addProduct(decltype(products) &to, std::pair<unsigned, int64_t> key,
                         const PendingProduct &product) {
    auto [place, isNew] = to.try_emplace(key, product);
    if (isNew)
      return;
    place->second.age = std::min(place->second.age, product.age);
    place->second.isOpen |= product.isOpen;
  }
};

} // namespace tkc

#endif // TKC_ANALYSIS_HAZARDSTATE_H
