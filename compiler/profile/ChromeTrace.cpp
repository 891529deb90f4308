//===- ChromeTrace.cpp - A run in the format of Chrome and Perfetto -------===//
#include "profile/ChromeTrace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tkc::profile;

namespace {
class Printer {
public:
  Printer(const Run &run, const Table &table, raw_ostream &os) : run(run), table(table), json(os) {}
  void print();

private:
  void name(StringRef what, int64_t block, std::optional<int64_t> stream, const Twine &name);
  void print(int64_t block, int64_t number, const Stream &stream);
  void slice(int64_t block, int64_t number, const Stream &stream, const Record &record,
             uint64_t end, StringRef name, bool isTile);

  const Run &run;
  const Table &table;
  json::OStream json;
};
} // namespace

void Printer::name(StringRef what, int64_t block, std::optional<int64_t> stream,
                   const Twine &name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", what);
    json.attribute("pid", block);
    if (stream)
      json.attribute("tid", *stream);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
}

/// "m 3, h 0": the tile of a record that begins one.
static std::string describeTile(const Record &begin) {
  std::string text;
  ListSeparator comma;
  for (auto [i, index] : enumerate(begin.point->indices))
    if (i < begin.indices.size())
      text += (StringRef(comma) + index + " " + Twine(begin.indices[i])).str();
  return text.empty() ? "tile" : text;
}

void Printer::slice(int64_t block, int64_t number, const Stream &stream, const Record &record,
                    uint64_t end, StringRef name, bool isTile) {
  // Microseconds, to the picosecond: a cycle is half a nanosecond.
  auto time = [&](double nanoseconds) {
    json.rawValue(formatv("{0:F6}", nanoseconds / 1000).str());
  };
  const Point &point = *record.point;
  double begin = run.timeOf(stream, record.clock);
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", name);
    json.attribute("cat", isTile ? StringRef("tile") : StringRef(point.kind));
    json.attribute("pid", block);
    json.attribute("tid", number);
    json.attributeBegin("ts");
    time(begin);
    json.attributeEnd();
    json.attributeBegin("dur");
    time(run.timeOf(stream, end) - begin);
    json.attributeEnd();
    json.attributeObject("args", [&] {
      json.attribute("cycles", int64_t(end - record.clock));
      json.attribute("tile", record.tile);
      if (isTile)
        return;
      json.attribute("iteration", record.iteration);
      json.attribute("id", point.id);
      if (point.sourceLine)
        json.attribute("source", formatv("{0}:{1}", point.sourceFile, point.sourceLine).str());
      json.attribute("cuda", formatv("{0}:{1}", table.cuda, point.line).str());
      if (!point.reason.empty())
        json.attribute("why", point.reason);
    });
  });
}

void Printer::print(int64_t block, int64_t number, const Stream &stream) {
  name("thread_name", block, number,
       stream.facts->role + ", warpgroup " + Twine(stream.facts->warpgroup));
  ArrayRef<Record> records = stream.records;
  for (size_t i = 0; i < records.size(); ++i) {
    const Record &record = records[i];
    auto endOf = [&](size_t next) {
      return next < records.size() ? records[next].clock : stream.endClock;
    };
    if (!record.point->indices.empty()) {
      size_t next = i + 1;
      while (next < records.size() && records[next].tile == record.tile)
        ++next;
      slice(block, number, stream, record, endOf(next), describeTile(record), true);
    }
    slice(block, number, stream, record, endOf(i + 1), record.point->name, false);
  }
}

void Printer::print() {
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeObject("otherData", [&] {
      json.attribute("kernel", run.kernel->name);
      json.attribute("source", table.source);
      json.attribute("cyclesPerNanosecond", run.cyclesPerNanosecond);
    });
    json.attributeArray("traceEvents", [&] {
      for (auto [b, block] : enumerate(run.blocks)) {
        name("process_name", b, std::nullopt,
             "block " + Twine(b) + " on SM " + Twine(block.streams.front().sm));
        for (auto [s, stream] : enumerate(block.streams))
          print(b, s, stream);
      }
    });
  });
}

void tkc::profile::printChromeTrace(const Run &run, const Table &table, raw_ostream &os) {
  Printer(run, table, os).print();
  os << '\n';
}
