//===- PassDiffs.cpp - The changes of each pass ---------------------------===//
//
// Texts of one pass after the other differ in a few lines, so the page has the first
// one and the differences: a longest common subsequence of lines between what is
// equal at the start and at the end.
//
//===----------------------------------------------------------------------===//
#include "explorer/ExplorerPage.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tkc;
using namespace tkc::explorer;

namespace {
/// Of the text before: `removed` lines from `at` on become `added`.
struct Change {
  size_t at, removed;
  SmallVector<StringRef> added;
};
using Text = SmallVector<StringRef, 0>;
} // namespace

static Text linesOf(StringRef text) {
  Text lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

static void note(std::vector<Change> &changes, size_t at, size_t removed,
                 ArrayRef<StringRef> added) {
  if (!changes.empty() && changes.back().at + changes.back().removed == at) {
    changes.back().removed += removed;
    changes.back().added.append(added.begin(), added.end());
  } else {
    changes.push_back({at, removed, SmallVector<StringRef>(added)});
  }
}

static std::vector<Change> findChanges(ArrayRef<StringRef> before, ArrayRef<StringRef> after) {
  constexpr size_t mostCells = 16 << 20; // beyond, all in between counts as changed
  size_t start = 0;
  while (start < before.size() && start < after.size() && before[start] == after[start])
    ++start;
  while (before.size() > start && after.size() > start && before.back() == after.back()) {
    before = before.drop_back();
    after = after.drop_back();
  }
  ArrayRef<StringRef> a = before.drop_front(start), b = after.drop_front(start);
  std::vector<Change> changes;
  if (a.empty() && b.empty())
    return changes;
  size_t width = b.size() + 1;
  if (a.size() * b.size() > mostCells || a.empty() || b.empty()) {
    note(changes, start, a.size(), b);
    return changes;
  }
  std::vector<unsigned> common((a.size() + 1) * width); // of a[i..] and b[j..]
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      note(changes, start + i++, 1, {});
    } else {
      note(changes, start + i, 0, b[j++]);
    }
  }
  return changes;
}

void explorer::printPassDiffs(ArrayRef<PassText> passes, raw_ostream &os) {
  json::OStream json(os);
  json.array([&] {
    Text before;
    for (const PassText &pass : passes) {
      Text after = linesOf(pass.text);
      json.array([&] {
        json.value(pass.pass);
        json.array([&] {
          for (const Change &change : findChanges(before, after))
            json.array([&] {
              json.value(int64_t(change.at));
              json.value(int64_t(change.removed));
              json.array([&] {
                for (StringRef line : change.added)
                  json.value(line);
              });
            });
        });
      });
      before = std::move(after);
    }
  });
}
