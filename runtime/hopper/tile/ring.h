//===- tile/ring.h - Rings of shared tiles and of mbarriers ---------------===//
//
// A ring is a fixed number of stages used one after the other. Whoever walks it keeps a
// cursor: the stage, and the phase, which flips each time the ring comes round.
// A consumer waits for a full barrier with its phase; the producer waits for an
// empty barrier with the opposite one, which a fresh barrier grants, so that it
// can fill every stage once before anything has been emptied.
//
// Cursors go on from one tile of the grid to the next and are never reset.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_RING_H
#define TK_TILE_RING_H

#include <ptx/fence.h>
#include <ptx/mbarrier.h>
#include <ptx/memory.h>
#include <ptx/thread.h>
#include <tile/shared.h>

namespace tk {

template <int stages> struct ring_cursor {
  int stage = 0;
  uint32_t phase = 0;

  TK_DEVICE void advance() {
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }
  }

  // Over `count` stages, at least 0.
  TK_DEVICE void advance(int count) {
    stage += count;
    phase ^= stage / stages & 1;
    stage %= stages;
  }
};

template <typename T, int rows, int cols, int stages> struct shared_ring {
  using tile = st<T, rows, cols>;
  static_assert(tile::bytes % (8 * tile::mode) == 0, "a stage must be a whole number of swizzle patterns of 8 rows");

  uint32_t address;

  TK_DEVICE explicit shared_ring(uint32_t address) : address(address) {}
  TK_DEVICE tile operator[](int stage) const { return tile(address).further(stage * tile::bytes); }
};

// A ring whose stages may be multiplied with columns of ones beside them. All stages are one tile, one below the other,
// so that each swizzle-atom column of a stage is as far from the next; after the last one is a swizzle-atom column of
// ones.
template <typename T, int rows, int cols, int stages> struct shared_ring_with_ones {
  using tile = st<T, rows, cols, rows * stages, cols>;
  static_assert(is_16_bit_float<T> && !tile::is_narrow,
                "ones stand beside whole swizzle-atom columns of 16-bit elements");

  uint32_t address;

  TK_DEVICE explicit shared_ring_with_ones(uint32_t address) : address(address) {}
  TK_DEVICE tile operator[](int stage) const { return tile(address).further(stage * rows * tile::mode); }

  // By all threads of the block, before a barrier of the block and the first MMA.
  TK_DEVICE void fill_ones() const {
    constexpr uint32_t ones = is_same<T, bf16> ? 0x3f803f80 : 0x3c003c00;
#pragma unroll 1
    for (int byte = threadIdx.x * 16; byte < tile::atom_bytes; byte += blockDim.x * 16)
      st_shared_v4_b32(tile(address).atom(tile::atoms) + byte, ones, ones, ones, ones);
    fence_proxy_async(); // MMAs read through another proxy what these threads wrote
  }
};

// A ring of vectors. Stages are 128 bytes apart, or a multiple: that is where TMA may write.
template <typename T, int length, int stages> struct vector_ring {
  using vector = sv<T, length>;
  static constexpr int stage_bytes = (vector::bytes + 127) / 128 * 128;

  uint32_t address;

  TK_DEVICE explicit vector_ring(uint32_t address) : address(address) {}
  TK_DEVICE vector operator[](int stage) const { return vector(address + stage * stage_bytes); }
};

// The address of one mbarrier.
struct barrier {
  uint32_t address;
};

template <int stages> struct barrier_ring {
  uint32_t address;

  TK_DEVICE explicit barrier_ring(uint32_t address) : address(address) {}
  TK_DEVICE barrier operator[](int stage) const { return barrier{address + stage * 8}; }

  // By one thread, before any use: `count` arrivals complete a phase.
  TK_DEVICE void init(uint32_t count) const {
#pragma unroll
    for (int stage = 0; stage < stages; ++stage)
      mbarrier_init((*this)[stage].address, count);
  }

  // By any thread: returns when the phase of this parity has completed.
  TK_DEVICE void wait(int stage, uint32_t phase) const { mbarrier_wait_parity((*this)[stage].address, phase); }

  // By a whole warp: one arrival, by its first lane, for the accesses of all lanes before it. If they read the stage
  // themselves, a fence_proxy_async comes first.
  TK_DEVICE void arrive(int stage) const {
    __syncwarp();
    mbarrier_arrive_if((*this)[stage].address, lane_index() == 0);
  }

  // By one thread: one arrival, and the phase also waits for `bytes` bytes of TMA loads.
  TK_DEVICE void arrive_expect(int stage, uint32_t bytes) const {
    mbarrier_arrive_expect_tx((*this)[stage].address, bytes);
  }
};

} // namespace tk

#endif // TK_TILE_RING_H
