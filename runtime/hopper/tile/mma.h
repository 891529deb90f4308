//===- tile/mma.h - MMAs of tiles -----------------------------------------===//
//
// mma_AB, mma_ABt, mma_AtB and mma_AtBt issue the wgmma instructions of one tile
// MMA, without waiting: D += A B with D in registers, B in shared memory and
// A in either. The names say how the operands lie in memory, ThunderKittens'
// way: mma_ABt takes B as N x K, mma_AtB takes A as K x M.
//
// One instruction does 64 rows, N columns and 32 bytes of K: 16 bf16 or f16, 8 tf32,
// 32 fp8 or int8. Only 16-bit operands may have another dimension than K contiguous.
// So an MMA is a loop
// over K, over m64 blocks and, if N > 256, over equal parts of the width,
// K outermost, so that neighbouring instructions share operands.
//
// A shared operand is named by a 64-bit descriptor. Between the instructions of
// an MMA only its low word changes, by an addition; the high word is a
// constant of the tile's type, so no 64-bit value stays alive.
//
//      low    bits 0-13   address / 16 (18 bits of address: in a cluster the higher ones name the block)
//             bits 16-29  LBO / 16
//      high   bits 0-13   SBO / 16
//             bits 30-31  swizzle: 1 = 128 bytes, 2 = 64 bytes, 3 = 32 bytes
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#asynchronous-warpgroup-level-matrix-shared-memory-layout
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_MMA_H
#define TK_TILE_MMA_H

#include <ptx/wgmma.h>
#include <tile/fragment.h>
#include <tile/shared.h>

namespace tk {

// Columns of A, rows of B, that one instruction reads.
template <typename T> constexpr int k_step = 32 / int(sizeof(T));

// A shared tile as a wgmma operand. `major` says which dimension is contiguous: k_major tiles are MN x K, mn_major
// ones K x MN.
template <typename tile, wgmma_major major> struct shared_operand {
  using element = typename tile::element;
  static constexpr int k = major == k_major ? tile::width : tile::height;
  static constexpr int mn = major == k_major ? tile::height : tile::width;
  static_assert(k % k_step<element> == 0, "an MMA takes K in steps of 32 bytes: make the tiles' K a multiple of that");
  static_assert(major == k_major || sizeof(element) == 2,
                "an operand that is not 16 bits wide must have K contiguous: use mma_ABt, or transpose the tensor");

  // Eight rows of a swizzle-atom column, one swizzle pattern, and then the next eight. LBO is the way to the next
  // swizzle-atom column when swizzle-atom columns follow one another along MN; along K the instruction never crosses a
  // swizzle-atom column and ignores it.
  static constexpr uint32_t sbo = 8 * tile::mode;
  static constexpr uint32_t lbo = major == mn_major ? tile::atom_bytes : 16;
  static constexpr uint32_t layout = tile::mode == swizzle_128 ? 1 : tile::mode == swizzle_64 ? 2 : 3;
  static constexpr uint32_t high = sbo >> 4 | layout << 30;

  uint32_t low;

  // `sixteenths` is the tile's address in units of 16 bytes.
  TK_DEVICE explicit shared_operand(uint32_t sixteenths) : low(sixteenths + (lbo >> 4 << 16)) {}

  // Of one instruction's K, the `step`-th, and of M or N from `first` on.
  TK_DEVICE uint64_t descriptor(int step, int first) const {
    return wgmma_descriptor(low + (offset(step, first) >> 4), high);
  }

  TK_DEVICE static uint32_t offset(int step, int first) {
    if (major == k_major) // `first` rows down, 32 bytes per step along the row, perhaps in the next atom
      return step * 32 / tile::mode * tile::atom_bytes + step * 32 % tile::mode + first * tile::mode;
    return step * 16 * tile::mode + first / tile::atom_cols * tile::atom_bytes;
  }
};

// The width of one instruction: the largest up to `widest` that divides N into equal parts, each a multiple of
// `multiple`. 0 if there is none.
TK_HOST_DEVICE constexpr int mma_width(int n, int widest, int multiple) {
  int width = 0;
  for (int w = multiple; w <= widest && w <= n; w += multiple)
    if (n % w == 0)
      width = w;
  return width;
}

// One instruction; A is a descriptor or four registers.
template <typename A, typename B, wgmma_major a_major, wgmma_major b_major, int sign, typename N, int n,
          typename operand>
TK_DEVICE void wgmma(N (&d)[n], const operand &a, uint64_t b, bool accumulate) {
  constexpr bool in_shared = is_same<operand, uint64_t>;
  if constexpr (is_same<A, bf16> && in_shared)
    wgmma_f32_bf16<a_major, b_major, sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, bf16>)
    wgmma_f32_bf16<b_major, sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, f16> && in_shared)
    wgmma_f32_f16<a_major, b_major, sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, f16>)
    wgmma_f32_f16<b_major, sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, tf32>)
    wgmma_f32_tf32<sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, int8>)
    wgmma_s32_s8(d, a, b, accumulate);
  else if constexpr (is_same<A, e4m3> && is_same<B, e4m3>)
    wgmma_f32_e4m3<sign>(d, a, b, accumulate);
  else if constexpr (is_same<A, e4m3>)
    wgmma_f32_e4m3_e5m2<sign>(d, a, b, accumulate);
  else if constexpr (is_same<B, e4m3>)
    wgmma_f32_e5m2_e4m3<sign>(d, a, b, accumulate);
  else
    wgmma_f32_e5m2<sign>(d, a, b, accumulate);
}

// Which types of operands multiply, into accumulators of type N.
template <typename N, typename A, typename B>
constexpr bool may_multiply =
    is_same<A, int8>
        ? is_same<B, int8> && is_same<N, int>
        : is_same<N, float> && (is_8_bit_float<A> ? is_8_bit_float<B> : is_same<A, B> && !is_same<A, float>);

// The parameters that the instructions of an MMA share; its shape is checked here.
template <int widest, wgmma_major b_major, typename D, typename B, typename a_element, int a_rows, int a_k>
struct mma_shape {
  using b_operand = shared_operand<B, b_major>;
  // int8 has no widths of odd eights above 32.
  static constexpr int eights = is_same<a_element, int8> && D::width > 32 ? 16 : 8;
  static constexpr int width =
      mma_width(D::width, widest, b_major == mn_major && D::width > widest ? B::atom_cols : eights);
  static constexpr int steps = a_k / k_step<a_element>;
  static_assert(may_multiply<typename D::element, a_element, typename B::element>,
                "an MMA takes two bf16, f16 or tf32 operands or two of 8-bit floats into float, or two int8 into int");
  static_assert(a_rows == D::height, "A must have as many rows as the result: check the tile sizes");
  static_assert(b_operand::mn == D::width, "B must have as many columns as the result: check the tile sizes");
  static_assert(b_operand::k == a_k, "A and B must have the same K: check the tile sizes");
  static_assert(width > 0,
                "no legal instruction width divides N into whole swizzle-atom columns: make N a multiple of 64");
};

// A and B in shared memory.
template <int widest, int sign, wgmma_major a_major, wgmma_major b_major, typename N, int m, int n, typename T,
          int a_rows, int a_cols, int a_tile_rows, int a_tile_cols, typename B>
TK_DEVICE void mma(rt<N, m, n> &d, const st<T, a_rows, a_cols, a_tile_rows, a_tile_cols> &a, const B &b,
                   bool accumulate) {
  using a_tile = st<T, a_rows, a_cols, a_tile_rows, a_tile_cols>;
  using a_type = shared_operand<a_tile, a_major>;
  using shape = mma_shape<widest, b_major, rt<N, m, n>, B, T, a_type::mn, a_type::k>;
  // Not what the stages of rings are stepped in: two of those would stay in registers beside the tiles' addresses, and
  // some kernels have none left.
  const a_type a_operand(a.address >> 4);
  const typename shape::b_operand b_operand(b.address >> 4);
#pragma unroll
  for (int step = 0; step < shape::steps; ++step)
#pragma unroll
    for (int m_block = 0; m_block < m / 64; ++m_block)
#pragma unroll
      for (int first = 0; first < n; first += shape::width)
        wgmma<T, typename B::element, a_major, b_major, sign>(
            d.template part<shape::width>(m_block, first), a_operand.descriptor(step, m_block * 64),
            b_operand.descriptor(step, first), accumulate || step > 0);
}

// A in registers, B in shared memory. The fragment of 32 bytes of columns is four registers, in A's order.
template <int widest, int sign, wgmma_major a_major, wgmma_major b_major, typename N, int m, int n, typename T,
          int a_rows, int k, typename B>
TK_DEVICE void mma(rt<N, m, n> &d, const rt<T, a_rows, k> &a, const B &b, bool accumulate) {
  static_assert(a_major == k_major, "A in registers is M x K: use mma_AB or mma_ABt, or put A into shared memory");
  using shape = mma_shape<widest, b_major, rt<N, m, n>, B, T, a_rows, k>;
  const typename shape::b_operand b_operand(b.sixteenths);
#pragma unroll
  for (int step = 0; step < shape::steps; ++step)
#pragma unroll
    for (int m_block = 0; m_block < m / 64; ++m_block) {
      // In place: the MMA owns these registers until its wait, not a copy of them.
      const auto &fragment = reinterpret_cast<const uint32_t(&)[4]>(a.values[m_block][4 * step]);
#pragma unroll
      for (int first = 0; first < n; first += shape::width)
        wgmma<T, typename B::element, a_major, b_major, sign>(d.template part<shape::width>(m_block, first), fragment,
                                                              b_operand.descriptor(step, first),
                                                              accumulate || step > 0);
    }
}

// The MMAs by name. `accumulate` false overwrites D instead of adding to it; D need not hold anything then.
// `widest` limits the width of one instruction: a block of 512 threads starts with 128 registers per thread, and
// ptxas fits no instruction of more than 200 columns into them (C7602), so it passes 128.

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, 1, k_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_ABt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, 1, k_major, k_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AtB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, 1, mn_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mma_AtBt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, 1, mn_major, k_major>(d, a, b, accumulate);
}

// The same, subtracting: D -= A B.

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mms_AB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, -1, k_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mms_ABt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, -1, k_major, k_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mms_AtB(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, -1, mn_major, mn_major>(d, a, b, accumulate);
}

template <int widest = 256, typename D, typename A, typename B>
TK_DEVICE void mms_AtBt(D &d, const A &a, const B &b, bool accumulate) {
  mma<widest, -1, mn_major, k_major>(d, a, b, accumulate);
}

template <typename N, int m, int n> TK_DEVICE void fence_operand(rt<N, m, n> &d) {
  constexpr int registers = sizeof(d.values[0]) / sizeof(N);
#pragma unroll
  for (int m_block = 0; m_block < m / 64; ++m_block)
#pragma unroll
    for (int i = 0; i < registers; i += 4)
      fence_operand(reinterpret_cast<N(&)[4]>(d.values[m_block][i]));
}

// A fence before which this thread's code gives these accumulators their values, all registers of them: nvcc
// would fill those that are equal from one another, after the fence, where PTX has them belong to the MMA.
template <typename tile, typename... tiles> TK_DEVICE void wgmma_fence(tile &filled, tiles &...others) {
  fence_operand(filled);
  (fence_operand(others), ...);
  wgmma_fence();
}

// A wait after which these tiles, the accumulators of MMAs that it covers, are read.
template <int pending, typename tile, typename... tiles> TK_DEVICE void wgmma_wait(tile &done, tiles &...others) {
  wgmma_wait<pending>();
  fence_operand(done);
  (fence_operand(others), ...);
}

// A tile that MMAs have written and nobody has read since: `renew(d) = value;` puts something else into its
// registers, here and not before. nvcc would see no reason to wait for the MMA.
template <typename tile> struct renewed {
  tile &d;
  TK_DEVICE void operator=(const tile &value) const {
    constexpr int registers = sizeof(d.values[0]) / sizeof(d.values[0][0]);
#pragma unroll
    for (int m_block = 0; m_block < tile::m_blocks; ++m_block)
#pragma unroll
      for (int i = 0; i < registers; ++i)
        d.values[m_block][i] = move_here(value.values[m_block][i]);
  }
  TK_DEVICE void fill(typename tile::reg value) const {
    tile filled;
    filled.fill(value);
    *this = filled;
  }
};
template <typename N, int m, int n> TK_DEVICE renewed<rt<N, m, n>> renew(rt<N, m, n> &d) { return {d}; }

// The registers of a left operand are needed up to here. For operands that come from before a loop and that its
// MMAs read in every iteration: ptxas before CUDA 13.1 would not keep them from one iteration to the next.
template <typename T, int m, int k> TK_DEVICE void keep_alive(const rt<T, m, k> &a) {
  constexpr int registers = sizeof(a.values[0]) / sizeof(uint32_t);
#pragma unroll
  for (int m_block = 0; m_block < m / 64; ++m_block)
#pragma unroll
    for (int i = 0; i < registers; i += 4)
      keep_operand_alive(reinterpret_cast<const uint32_t(&)[4]>(a.values[m_block][i]));
}

} // namespace tk

#endif // TK_TILE_MMA_H
