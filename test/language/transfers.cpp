// Tests loads, stores, sums in global memory, gathers and scatters: between tensors, shared memory
// and registers, of tiles and vectors, at the edges of a tensor too.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
/// An element of a matrix, zero outside it.
template <typename M> double inside(M &m, long long i, long long j) {
  const bool is = i >= 0 && j >= 0 && i < m.extents[0] && j < m.extents[1];
  return is ? exact(m.at(i, j)) : 0;
}

void check_tiles() {
  memory<bf16, 2> from(50, 70);
  const gl<bf16> A = from.view<>();
  auto at = [&](int top, int left) {
    return [&, top, left](int i, int j) { return inside(from, top + i, left + j); };
  };
  rt_fl<32, 48> x = load(A, {1, 1});
  expect_each("load to registers", x, at(32, 48));
  rt_bf<16, 16, col> y;
  load(y, A, {3, 4});
  expect_each("load to registers, destination first", y, at(48, 64));
  rt_fl<16, 16> before = load(A, {-1, 0});
  expect_each("load before the tensor", before, [](int, int) { return 0; });
  st_bf<64, 32> s = load(A, {0, 1});
  expect_each("load to shared memory", s, at(0, 32));

  rt_bf<64, 32> whole = load(s);
  rt_fl<16, 32> part = load(s, {2, 0});
  expect_each("load from shared memory", whole, at(0, 32));
  expect_each("load from a part of shared memory", part, at(32, 32));
  rt_bf<16, 16> corner = load(s, {1, 1});
  expect_each("load from a part in the second column", corner, at(16, 48));
  load(whole, s);
  load(part, s, {1, 0});
  expect_each("load from shared memory, destination first", whole, at(0, 32));
  expect_each("load from a part, destination first", part, at(16, 32));

  st_bf<32, 48> to;
  zero(to);
  store(to, x);
  expect_each("store to shared memory", to, at(32, 48));
  const rt_fl<16, 16> seven = 7;
  store(to, {1, 2}, seven);
  expect_each("store to a part of shared memory", to,
              [&](int i, int j) { return i >= 16 && j >= 32 ? 7 : inside(from, 32 + i, 48 + j); });

  memory<bf16, 2> c(50, 70), old = c;
  store(c.view<>(), {1, 1}, seven);
  store(c.view<>(), {0, 2}, s); // as it was loaded one tile to the left
  store(c.view<>(), {1, 2}, x); // rows 32 to 50 and columns beyond 70: nothing is inside
  for (long long i = 0; i < 50; ++i)
    for (long long j = 0; j < 73; ++j) // the gap after the row as well
      expect("store to a tensor", int(i), int(j), c.at(i, j),
             i >= 16 && i < 32 && j >= 16 && j < 32 ? 7
             : j >= 64 && j < 70                    ? exact(from.at(i, j - 32))
                                                    : exact(old.at(i, j)),
             0);
}

void check_four_dimensions() {
  memory<float, 4> from(2, 3, 40, 32);
  const gl<float, -1, -1, -1, 32> A = from.view<-1, -1, -1, 32>();
  expect("extents", A.batch() == 2 && A.depth() == 3 && A.rows() == 40 && A.cols() == 32);
  rt_fl<32, 16> x = load(A, {1, 2, 1, 1});
  expect_each("load of a matrix of many", x,
              [&](int i, int j) { return i < 8 ? from.at(1, 2, 32 + i, 16 + j) : 0; });
  row_vec<float, 16> v = load(A, {1, 0, 33, 1});
  expect_each("a vector is part of one row", v,
              [&](int i, int) { return from.at(1, 0, 33, 16 + i); });
}

void check_vectors() {
  memory<float, 1> from(40);
  const gl<float, -1> A = from.view<-1>();
  auto at = [&](int first) {
    return [&, first](int i, int) { return first + i < 40 ? exact(from.at(first + i)) : 0; };
  };
  col_vec<bf16, 16> v = load(A, {1});
  row_vec<float, 32> w;
  load(w, A, {1});
  sv_fl<32> s = load(A, {1});
  expect_each("load of a vector", v, at(16));
  expect_each("load of a vector, destination first", w, at(32));
  expect_each("load of a shared vector", s, at(32));
  load(s, A, {0});
  col_vec<float, 16> part = load(s, {1});
  row_vec<half, 32> whole = load(s);
  expect_each("load from a part of a shared vector", part, at(16));
  expect_each("load from a shared vector", whole, at(0));
  load(part, s, {0});
  expect_each("load from a part, destination first", part, at(0));
  store(s, {1}, part);
  expect_each("store to a part of a shared vector", s, [&](int i, int) { return from.at(i % 16); });
  store(s, w);
  expect_each("store to a shared vector", s, at(32));

  memory<half, 1> c(40), old = c;
  const gl<half, -1> C = c.view<-1>();
  const col_vec<float, 16> two = 2;
  store(C, {2}, two);
  expect("store of a vector", 39, 0, c.at(39), 2, 0);
  expect("store of a vector, before it", 31, 0, c.at(31), old.at(31), 0);
  expect("store of a vector, beyond the tensor", 40, 0, c.at(40), old.at(40), 0);
}

void check_pages() {
  memory<bf16, 4> cache(5, 2, 16, 32);
  const gl<bf16, -1, -1, 16, 32> K = cache.view<-1, -1, 16, 32>();
  const int pages[4] = {3, 0, -1, 4};
  const st_bf<64, 16> k = load(K, {pages, 1, 0, 1});
  const auto element = [&](int i, int j) {
    return pages[i / 16] < 0 ? 0 : exact(cache.at(pages[i / 16], 1, i % 16, 16 + j));
  };
  expect_each("load of four pages", k, element);
  rt_fl<64, 16> x;
  load(x, K, {pages, 1, 0, 1});
  expect_each("load of four pages into registers", x, element);
  memory<float, 4> rows(3, 1, 24, 16);
  const rt_fl<16, 16> y = load(rows.view<-1, -1, -1, -1>(), {{2, 0}, 0, 2, 0}); // 8 rows of each
  expect_each("parts of pages", y,
              [&](int i, int j) { return rows.at(i < 8 ? 2 : 0, 0, 16 + i % 8, j); });
}

void check_halos() {
  memory<float, 2> from(40, 40);
  const gl<float> A = from.view<>();
  const auto at = [&](int i, int j) {
    return i >= 0 && i < 40 && j >= 0 && j < 40 ? exact(from.at(i, j)) : 0;
  };
  const rt_fl<16, 16> left = load(A, {1, elements(-3)});
  expect_each("load from before the first column", left,
              [&](int i, int j) { return at(16 + i, j - 3); });
  const st_fl<16, 16> corner = load(A, {elements(33), elements(30)});
  expect_each("load of a corner", corner, [&](int i, int j) { return at(33 + i, 30 + j); });
  const row_vec<float, 16> v = load(A, {7, elements(29)});
  expect_each("load of a vector from any element", v, [&](int i, int) { return at(7, 29 + i); });
}

void check_sums() {
  memory<float, 2> c(20, 20), old = c;
  const rt_bf<16, 16> x = drawn_like<rt_bf<16, 16>>();
  store_add(c.view<>(), {0, 0}, x);
  store_add(c.view<>(), {0, 0}, x);
  store_add(c.view<>(), {1, 1}, x);
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 23; ++j) {
      double should = old.at(i, j);
      if (i < 16 && j < 16)
        should += 2 * exact(x.at(i, j));
      if (i >= 16 && j >= 16 && j < 20)
        should += exact(x.at(i - 16, j - 16));
      expect("store_add", i, j, c.at(i, j), should, 1e-6);
    }
  memory<int32, 1> n(16);
  const memory<int32, 1> before = n;
  const row_vec<int32, 16> large = row_vec<int32, 16>(16777216) + 1;
  store_add(n.view<-1>(), {0}, large);
  for (int i = 0; i < 16; ++i)
    expect("store_add of integers", i, 0, n.at(i), before.elements[std::size_t(i)] + 16777217.0, 0);
}

void check_extremes() {
  memory<half, 2> c(20, 20), old = c;
  const auto x = drawn_like<rt_fl<16, 16>>(-4, 4), y = drawn_like<rt_fl<16, 16>>(-4, 4);
  store_max(c.view<>(), {0, 0}, x);
  store_min(c.view<>(), {1, 1}, y);
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) {
      double should = exact(old.at(i, j));
      if (i < 16 && j < 16)
        should = std::max(should, exact(detail::convert<half>(x.at(i, j))));
      if (i >= 16 && j >= 16)
        should = std::min(should, exact(detail::convert<half>(y.at(i - 16, j - 16))));
      expect("store_max and store_min", i, j, exact(c.at(i, j)), should, 0);
    }
  memory<float, 1> list(16);
  memory<float, 1> before = list;
  row_vec<float, 16> v = drawn_like<row_vec<float, 16>>(-4, 4);
  v.at(3) = __builtin_nanf("");
  const row_vec<int32, 16> upside_down = 15 - iota<row_vec<int32, 16>>(), above = -1;
  scatter_max(list.view<-1>(), {0}, v, upside_down);
  scatter_min(list.view<-1>(), {0}, v, above);
  for (int i = 0; i < 16; ++i) {
    const double is = exact(before.at(15 - i));
    expect("scatter_max", i, 0, list.at(15 - i), i == 3 ? is : std::max(is, exact(v.at(i))), 0);
  }
}

void check_integers() {
  memory<int32, 2> c(16, 16);
  const rt_i32<16, 16> large = rt_i32<16, 16>(16777216.0f) + 1;
  store(c.view<>(), {0, 0}, large);
  rt_i32<16, 16> back = load(c.view<>(), {0, 0});
  st_i32<16, 16> shared = load(c.view<>(), {0, 0});
  expect_each("integers are stored exactly", back, [](int, int) { return 16777217; }, 0);
  expect_each("integers are loaded exactly", shared, [](int, int) { return 16777217; }, 0);
}

void check_gathers() {
  memory<bf16, 2> table(30, 40);
  const gl<bf16> A = table.view<>();
  const auto index = drawn_like<col_vec<int32, 32>>(-3, 33);
  auto should = [&](int i, int j) { return inside(table, index.at(i), 16 + j); };
  expect_each("gather to registers", gather<rt_fl<32, 16>>(A, {0, 1}, index), should);
  expect_each("gather to shared memory", gather<st_bf<32, 16>>(A, {0, 1}, index), should);
  rt_fl<32, 16> registers = gather(A, {0, 1}, index);
  expect_each("gather that initialises registers", registers, should);
  st_bf<32, 16> shared = gather(A, {0, 1}, index);
  expect_each("gather that initialises shared memory", shared, should);
  rt_bf<32, 16> to;
  gather(to, A, {0, 1}, index);
  expect_each("gather, destination first", to, should);
  expect_each("gather from a later row", gather<rt_fl<32, 16>>(A, {4, 1}, index),
              [&](int i, int j) { return inside(table, index.at(i) + 4, 16 + j); });

  memory<float, 1> list(20);
  auto element = [&](int i, int) {
    const int k = index.at(i) + 2;
    return k >= 0 && k < 20 ? exact(list.at(k)) : 0;
  };
  expect_each("gather of a vector", gather<col_vec<float, 32>>(list.view<-1>(), {2}, index),
              element);
  col_vec<float, 32> v = gather(list.view<-1>(), {2}, index);
  expect_each("gather that initialises a vector", v, element);
  sv<float, 32> in_shared = gather(list.view<-1>(), {2}, index);
  expect_each("gather that initialises a shared vector", in_shared, element);
  row_vec<bf16, 32> w;
  gather(w, list.view<-1>(), {2}, transpose(index));
  expect_each("gather of a vector, destination first", w, element);
}

void check_scatters() {
  memory<bf16, 2> c(30, 40), old = c;
  const auto x = drawn_like<rt_fl<32, 16>>(-4, 4);
  const auto upside_down =
      map(iota<col_vec<int32, 32>>(), [](int i) { return 30 - i; }); // 30 down to -1
  scatter(c.view<>(), {1, 1}, x, upside_down);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 40; ++j) {
      const bool is = j >= 16 && j < 32; // row i is that of index i - 1
      expect("scatter", i, j, exact(c.at(i, j)),
             is ? exact(detail::convert<bf16>(x.at(31 - i, j - 16))) : exact(old.at(i, j)), 0);
    }
  memory<float, 2> sums(4, 16), before = sums;
  const auto parity =
      map(iota<col_vec<int32, 32>>(), [](int i) { return i % 2 * 5 - 1; }); // -1 and 4
  scatter_add(sums.view<>(), {-1, 0}, x, parity);
  for (int j = 0; j < 16; ++j) {
    double sum = exact(before.at(3, j));
    for (int i = 1; i < 32; i += 2)
      sum += exact(x.at(i, j));
    expect("scatter_add", 3, j, sums.at(3, j), sum, 1e-4);
    expect("scatter_add elsewhere", 0, j, sums.at(0, j), exact(before.at(0, j)), 0);
  }
  memory<float, 1> list(20);
  const auto v = drawn_like<row_vec<float, 16>>(-4, 4);
  const auto from = map(iota<row_vec<int32, 16>>(), [](int i) { return 15 - i; });
  scatter(list.view<-1>(), {3}, v, from);
  for (int i = 0; i < 16; ++i)
    expect("scatter of a vector", i, 0, list.at(3 + i), exact(v.at(15 - i)), 0);
}
} // namespace

int main() {
  check_tiles();
  check_four_dimensions();
  check_vectors();
  check_pages();
  check_halos();
  check_sums();
  check_integers();
  check_gathers();
  check_scatters();
  check_extremes();
  return finished();
}
