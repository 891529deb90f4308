//===- grid.h - The tile space, the pipelined loop, kernel instances ------===//
#ifndef TK_LANGUAGE_GRID_H
#define TK_LANGUAGE_GRID_H

#include "counting.h"
#include "types.h"

namespace tk {

/// One point of a grid; `auto [m, n]` takes it apart.
template <int rank> struct grid_point;
template <> struct grid_point<1> {
  int i;
  constexpr operator int() const { return i; }
};
template <> struct grid_point<2> {
  int i, j;
};
template <> struct grid_point<3> {
  int i, j, k;
};
template <> struct grid_point<4> {
  int i, j, k, l;
};

/// The order in which blocks take the points of a grid: each its share, or whoever is free the
/// next.
enum tile_order { static_order, dynamic, compiler_order };

/// The range of `grid`: the points of the tile space. Its member functions are hints to the
/// compiler: their arguments are constants, and they never change the result.
template <int rank> class TK_LANGUAGE("grid_space") grid_space {
public:
  /// Visits the first two dimensions in groups of `n` points of the first one, so that tiles
  /// computed at the same time share operands in cache.
  TK_LANGUAGE("swizzle") grid_space swizzle(int n) const;
  /// Whether a block computes tile after tile, which is the default, or one alone.
  TK_LANGUAGE("persistent") grid_space persistent(bool yes) const;
  /// `static_order`: blocks have equal shares; or `dynamic`: they take their tiles. The compiler
  /// schedules them dynamically, in LPT order (longest processing time first), where a loop runs
  /// longer the higher the first index.
  TK_LANGUAGE("order") grid_space order(tile_order how) const;
  /// How many warpgroups compute; the compiler chooses if it is not said.
  TK_LANGUAGE("consumers") grid_space warpgroups(int n) const;
  /// Whether two warpgroups ping-pong over tiles of their own: while one multiplies, the other
  /// stores. Otherwise, which is the default, they share each tile.
  TK_LANGUAGE("pingpong_tiles") grid_space pingpong_tiles(bool yes) const;
  /// How many registers a thread that loads has, and one that computes: multiples of 8 from 24 to
  /// 240. The compiler chooses if it is not said.
  TK_LANGUAGE("registers") grid_space registers(int producer, int consumer) const;
  /// How many blocks, along the first two dimensions, share their loads; 1 x 1 is the default.
  TK_LANGUAGE("cluster") grid_space cluster(int i, int j) const;
  /// Whether the kernel may be launched before the one before it ends, which is the default.
  TK_LANGUAGE("pdl") grid_space pdl(bool yes) const;
  /// Of how many iterations of its loops a block's first loads are asked into L2 while the kernel
  /// before this one ends; none is the default.
  TK_LANGUAGE("prefetch") grid_space prefetch(int n) const;
  /// How many persistent blocks an SM runs at once, 1 to 4, which share its registers and shared
  /// memory; 1 is the default.
  TK_LANGUAGE("blocks_per_sm") grid_space blocks_per_sm(int n) const;
  /// How many percent of its predicted speed this kernel was measured to reach beside the others of
  /// its `instantiate(name, ...)`; 100 is the default.
  TK_LANGUAGE("efficiency") grid_space efficiency(int percent) const;

  class iterator {
  public:
    grid_point<rank> operator*() const;
    iterator &operator++();
    bool operator!=(const iterator &other) const;

#ifndef __TKC__
    iterator(const grid_space &space, long long at) : space(space), at(at) {}

  private:
    const grid_space &space;
    long long at;
#endif
  };
  iterator begin() const;
  iterator end() const;

#ifndef __TKC__
  long long extents[rank];
#endif
};

/// The tile space of a kernel: its loop body runs once for every point, in no promised order. The
/// fastest dimension comes first.
///
///     for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN)).swizzle(8))
TK_LANGUAGE("grid") grid_space<1> grid(int i);
/// A space of two dimensions, `auto [m, n]`.
TK_LANGUAGE("grid") grid_space<2> grid(int i, int j);
/// A space of three dimensions, `auto [m, n, k]`.
TK_LANGUAGE("grid") grid_space<3> grid(int i, int j, int k);
/// A space of four dimensions, `auto [m, n, k, l]`.
TK_LANGUAGE("grid") grid_space<4> grid(int i, int j, int k, int l);

/// The range of `pipeline`: 0, 1, ..., n - 1.
class TK_LANGUAGE("pipeline_range") pipeline_range {
public:
  /// How many loads may be under way at once; a constant. The compiler chooses if it is not said.
  TK_LANGUAGE("stages") pipeline_range stages(int n) const;
  /// Whether matmuls may run beside the elementwise code of another step, which is the default.
  TK_LANGUAGE("overlap") pipeline_range overlap(bool yes) const;
  /// Whether warpgroups start matmuls in ping-pong, so that one computes while another
  /// multiplies. The compiler chooses if it is not said.
  TK_LANGUAGE("pingpong_warpgroups") pipeline_range pingpong_warpgroups(bool yes) const;

  counting_iterator begin() const;
  counting_iterator end() const;

#ifndef __TKC__
  int count;
#endif
};

/// A loop of `n` steps whose loads run ahead of its matmuls.
///
///     for (int k : pipeline(cdiv(A.cols(), BK)))
TK_LANGUAGE("pipeline") pipeline_range pipeline(int n);

/// The kernel that `instantiate` names; of several, the first.
template <typename first, typename... others>
constexpr first *instances(first &kernel, others &...) {
  return &kernel;
}

/// Compiles one more instance of a kernel template, under a name of its own:
///
///     instantiate(gemm_small, gemm<64, 128>);
///
/// Of several instances that compute the same, the function of that name launches the one that is
/// predicted to be the fastest for the extents of its arguments:
///
///     instantiate(gemm, gemm<128, 256>, gemm<128, 128>, gemm<64, 128>);
#define instantiate(name, ...)                                                                     \
  TK_LANGUAGE("instance")                                                                          \
  [[maybe_unused]] constexpr auto *instance_##name = tk::instances(__VA_ARGS__)

// The line that --tuned adds after the end of a file: more instances for the function of this name.
// The first one is what the function is otherwise.
#define tuned_instances(name, ...)                                                                 \
  TK_LANGUAGE("instance")                                                                          \
  [[maybe_unused]] constexpr auto *tuned_##name = tk::instances(__VA_ARGS__)

#ifndef __TKC__
template <int rank> grid_space<rank> grid_space<rank>::swizzle(int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::persistent(bool) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::order(tile_order) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::warpgroups(int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::pingpong_tiles(bool) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::registers(int, int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::cluster(int, int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::pdl(bool) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::prefetch(int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::blocks_per_sm(int) const { return *this; }
template <int rank> grid_space<rank> grid_space<rank>::efficiency(int) const { return *this; }
template <int rank> auto grid_space<rank>::begin() const -> iterator { return {*this, 0}; }
template <int rank> auto grid_space<rank>::end() const -> iterator {
  long long points = 1;
  for (long long extent : extents)
    points *= extent > 0 ? extent : 0;
  return {*this, points};
}
template <int rank> grid_point<rank> grid_space<rank>::iterator::operator*() const {
  int point[4] = {};
  long long rest = at;
  for (int d = 0; d < rank; ++d) {
    point[d] = static_cast<int>(rest % space.extents[d]);
    rest /= space.extents[d];
  }
  if constexpr (rank == 1)
    return {point[0]};
  else if constexpr (rank == 2)
    return {point[0], point[1]};
  else if constexpr (rank == 3)
    return {point[0], point[1], point[2]};
  else
    return {point[0], point[1], point[2], point[3]};
}
template <int rank> auto grid_space<rank>::iterator::operator++() -> iterator & {
  ++at;
  return *this;
}
template <int rank> bool grid_space<rank>::iterator::operator!=(const iterator &other) const {
  return at != other.at;
}

inline grid_space<1> grid(int i) { return {{i}}; }
inline grid_space<2> grid(int i, int j) { return {{i, j}}; }
inline grid_space<3> grid(int i, int j, int k) { return {{i, j, k}}; }
inline grid_space<4> grid(int i, int j, int k, int l) { return {{i, j, k, l}}; }

inline pipeline_range pipeline(int n) { return {n}; }
inline pipeline_range pipeline_range::stages(int) const { return *this; }
inline pipeline_range pipeline_range::overlap(bool) const { return *this; }
inline pipeline_range pipeline_range::pingpong_warpgroups(bool) const { return *this; }
inline counting_iterator pipeline_range::begin() const { return {0}; }
inline counting_iterator pipeline_range::end() const { return {count > 0 ? count : 0}; }
#endif

} // namespace tk

#endif // TK_LANGUAGE_GRID_H
