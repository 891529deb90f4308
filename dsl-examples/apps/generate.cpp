// generate.cpp - An inference loop: one attention layer with a cache of keys and values.
//
// The prompt goes in at once, then one token after the other. The cache is allocated for the longest text; a kernel is
// given a view of its first rows. The result is compared with the same sums on the host.
#include "attention.h"
#include "memory.h"
#include "project.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {
constexpr int width = 128, vocabulary = 61, longest = 200;
const float scale = 1 / std::sqrt(float(width));
using Rows = std::vector<float>; // of `width` elements

void must(const tk_status &status) {
  if (status.code == TK_OK)
    return;
  std::fprintf(stderr, "%s\n", status.message);
  std::exit(1);
}

Rows random_rows(int rows, std::mt19937 &random, float deviation) {
  std::normal_distribution<float> normal(0, deviation);
  Rows values(size_t(rows) * width);
  for (float &value : values)
    value = normal(random);
  return values;
}

tk_tensor make_rows(int rows) {
  const int64_t extents[] = {rows, width};
  return make_tensor(TK_BF16, 2, extents);
}

// Rows `first` to `first + rows` of a tensor of rows; with rank 4 as attention takes them.
tk_tensor view(const tk_tensor &tensor, int first, int rows, int rank) {
  tk_tensor result = {static_cast<char *>(tensor.data) + size_t(first) * width * 2, TK_BF16, rank, {}, {}};
  for (int dim = 0; dim < rank; ++dim) {
    result.extents[dim] = dim == rank - 1 ? width : dim == rank - 2 ? rows : 1;
    result.strides[dim] = dim == rank - 1 ? 1 : dim == rank - 2 ? width : int64_t(longest) * width;
  }
  return result;
}

struct Layer {
  tk_tensor query_weights, key_weights, value_weights;
  tk_tensor input = make_rows(longest), queries = make_rows(longest), outputs = make_rows(longest);
  tk_tensor keys = make_rows(longest), values = make_rows(longest); // the cache
  tk_tensor sums;
  int length = 0; // of the cache

  explicit Layer(std::mt19937 &random) {
    for (tk_tensor *weights : {&query_weights, &key_weights, &value_weights}) {
      *weights = make_rows(width);
      write_tensor(weights, random_rows(width, random, 0.15f).data());
    }
    const int64_t extents[] = {1, 1, longest};
    sums = make_tensor(TK_F32, 3, extents);
  }

  // The layer's result for some more tokens.
  Rows run(const Rows &embedded) {
    const int rows = int(embedded.size() / width);
    tk_tensor x = view(input, 0, rows, 2), q = view(queries, 0, rows, 2);
    tk_tensor k = view(keys, length, rows, 2), v = view(values, length, rows, 2);
    write_tensor(&x, embedded.data());
    must(project(&x, &query_weights, &q, nullptr));
    must(project(&x, &key_weights, &k, nullptr));
    must(project(&x, &value_weights, &v, nullptr));
    length += rows;

    tk_tensor q4 = view(queries, 0, rows, 4), o4 = view(outputs, 0, rows, 4);
    tk_tensor k4 = view(keys, 0, length, 4), v4 = view(values, 0, length, 4);
    tk_tensor l3 = sums;
    l3.extents[2] = rows;
    must(attention_causal(&q4, &k4, &v4, &o4, &l3, scale, nullptr));
    Rows result(embedded.size());
    read_tensor(&o4, result.data());
    return result;
  }

  // The last row of `run`, from the same queries, keys and values in double.
  std::vector<double> last_row_on_host(int rows) const {
    Rows q(size_t(rows) * width), k(size_t(length) * width), v(k.size());
    const tk_tensor parts[] = {view(queries, 0, rows, 2), view(keys, 0, length, 2), view(values, 0, length, 2)};
    read_tensor(&parts[0], q.data());
    read_tensor(&parts[1], k.data());
    read_tensor(&parts[2], v.data());
    std::vector<double> result(width), weights(length);
    double total = 0;
    for (int key = 0; key < length; ++key) {
      double score = 0;
      for (int i = 0; i < width; ++i)
        score += double(q[size_t(rows - 1) * width + i]) * k[size_t(key) * width + i];
      total += weights[key] = std::exp(score * scale);
    }
    for (int key = 0; key < length; ++key)
      for (int i = 0; i < width; ++i)
        result[i] += weights[key] / total * v[size_t(key) * width + i];
    return result;
  }
};

// The token whose embedding is most like a row.
int most_likely(const float *row, const Rows &embeddings) {
  int best = 0;
  float best_score = -INFINITY;
  for (int token = 0; token < vocabulary; ++token) {
    float score = 0;
    for (int i = 0; i < width; ++i)
      score += row[i] * embeddings[size_t(token) * width + i];
    if (score > best_score) {
      best = token;
      best_score = score;
    }
  }
  return best;
}
} // namespace

int main(int argc, char **argv) {
  const int wanted = std::min(argc > 1 ? std::atoi(argv[1]) : 4, longest - 5);
  std::mt19937 random(7);
  Layer layer(random);
  const Rows embeddings = random_rows(vocabulary, random, 1);
  std::vector<int> tokens = {3, 14, 15, 9, 26}, next = tokens;
  double worst = 0;
  for (int step = 0; step < wanted; ++step) {
    Rows embedded;
    for (int token : next)
      embedded.insert(embedded.end(), &embeddings[size_t(token) * width], &embeddings[size_t(token) * width] + width);
    const Rows out = layer.run(embedded);
    const float *last = &out[out.size() - width];
    const std::vector<double> right = layer.last_row_on_host(int(next.size()));
    for (int i = 0; i < width; ++i)
      worst = std::max(worst, std::abs(last[i] - right[i]));
    next = {most_likely(last, embeddings)};
    tokens.push_back(next[0]);
  }
  for (int token : tokens)
    std::printf("%d ", token);
  std::printf("\n%d tokens, off by %.4f: %s\n", int(tokens.size()), worst, worst < 0.05 ? "right" : "WRONG");
  return worst < 0.05 ? 0 : 1;
}
