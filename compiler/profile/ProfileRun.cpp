//===- ProfileRun.cpp - The records of one run of a profiled kernel -------===//
#include "profile/ProfileRun.h"

#include "hopper/tile/profile_format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;
using namespace tkc::profile;

static Error wrong(const Twine &what) { return createStringError(what); }

namespace {
/// The words of a file. Whoever asks for one has looked at the size.
class Words {
public:
  explicit Words(StringRef bytes) : bytes(bytes) {}
  uint64_t size() const { return bytes.size() / 4; }
  uint32_t operator[](uint64_t i) const { return support::endian::read32le(bytes.data() + 4 * i); }
  uint64_t pair(uint64_t i) const { return (*this)[i] | uint64_t((*this)[i + 1]) << 32; }

private:
  StringRef bytes;
};

struct Header {
  uint64_t build;
  uint32_t kernel, blocks, streams, capacity;
  uint64_t words;

  uint64_t streamWords() const {
    return tk::profile_stream_words + uint64_t(tk::profile_record_words) * capacity;
  }
};
} // namespace

static Expected<Header> readHeader(StringRef bytes) {
  constexpr uint64_t headerBytes = 4 * tk::profile_header_words;
  if (bytes.size() < headerBytes)
    return wrong("it has " + Twine(bytes.size()) + " bytes when a profile's header alone has " +
                 Twine(headerBytes) + "; it is truncated, or no profile");
  Words words(bytes);
  if (words[0] == 0)
    return wrong("it begins with zeros: the kernel has not written to this buffer, or the buffer "
                 "was copied before the kernel was over");
  if (words[0] != tk::profile_magic)
    return wrong("it is no profile: it does not begin with 'TKPF'");
  if (words[1] != tk::profile_format)
    return wrong("it has format " + Twine(words[1]) + " when this tkc reads format " +
                 Twine(tk::profile_format) + "; use the tkc that wrote the kernel");
  return Header{words.pair(2), words[4], words[5], words[6], words[7], words[8]};
}

Expected<uint64_t> tkc::profile::readBuild(StringRef bytes) {
  Expected<Header> header = readHeader(bytes);
  if (!header)
    return header.takeError();
  return header->build;
}

/// The conditions that must hold before any record is looked at.
static Error check(const Header &header, StringRef bytes, const Table &table) {
  auto hex = [](uint64_t number) { return utohexstr(number, /*LowerCase=*/true); };
  if (header.build != table.build)
    return wrong("it is of another build of '" + table.cuda + "': the records are of build " +
                 hex(header.build) + ", the table is of build " + hex(table.build) +
                 "; run the kernel that was compiled with this table");
  if (header.kernel >= table.kernels.size())
    return wrong("it is of kernel number " + Twine(header.kernel) + ", but '" + table.cuda +
                 "' has " + Twine(table.kernels.size()));
  const KernelTable &kernel = table.kernels[header.kernel];
  if (header.streams != kernel.streams.size())
    return wrong("its blocks have " + Twine(header.streams) +
                 " streams of records when those of '" + kernel.name + "' have " +
                 Twine(kernel.streams.size()));
  // No overflow: 32 bits by 32 by few, and the number of streams is the table's.
  if (bytes.size() / 4 < header.words || bytes.size() % 4)
    return wrong("it is truncated: it has " + Twine(bytes.size()) + " bytes of the " +
                 Twine(4 * header.words) + " of the kernel's buffer");
  if (bytes.size() / 4 > header.words)
    return wrong("it has " + Twine(bytes.size()) + " bytes when the kernel's buffer had " +
                 Twine(4 * header.words) + "; write the whole buffer and nothing else");
  uint64_t room = header.words - tk::profile_header_words;
  uint64_t streams = uint64_t(header.blocks) * header.streams;
  if (header.words < uint64_t(tk::profile_header_words) || !streams ||
      room / header.streamWords() < streams)
    return wrong("its header is damaged: " + Twine(header.blocks) + " blocks do not fit into " +
                 Twine(4 * header.words) + " bytes");
  return Error::success();
}

/// A buffer with room for the longest stream, if that is more than there was.
static Error checkRoom(const Header &header, const Words &words, Run &run, MissingRecords allowed) {
  uint64_t missing = 0, longest = 0;
  uint64_t streams = uint64_t(header.blocks) * header.streams;
  for (uint64_t i = 0; i < streams; ++i) {
    uint32_t count = words[tk::profile_header_words + i * header.streamWords()];
    if (count == tk::profile_unfinished)
      return wrong("the kernel was not over when the buffer was copied: stream " +
                   Twine(i % header.streams) + " of block " + Twine(i / header.streams) +
                   " has no end; synchronize the stream first");
    longest = std::max<uint64_t>(longest, count);
    missing += count > header.capacity ? count - header.capacity : 0;
  }
  run.missing = missing;
  run.bufferBytes = run.neededBytes = 4 * header.words;
  if (!missing)
    return Error::success();
  uint64_t needed = tk::profile_header_words +
                    streams * (tk::profile_stream_words + tk::profile_record_words * longest);
  run.neededBytes = 4 * needed;
  if (allowed == MissingRecords::Allow)
    return Error::success();
  return wrong("the buffer was too small: " + Twine(missing) +
               " records are missing; a buffer of " + Twine(4 * needed) +
               " bytes would hold them all, this one had " + Twine(4 * header.words));
}

static Error readStream(const Words &words, uint64_t at, uint32_t capacity,
                        const KernelTable &kernel, const Twine &where, Stream &stream) {
  bool isWhole = words[at] <= capacity;
  uint32_t count = std::min(words[at], capacity);
  stream.sm = words[at + 1];
  stream.beginTime = words.pair(at + 2);
  stream.beginClock = words.pair(at + 4);
  stream.endTime = words.pair(at + 6);
  stream.endClock = words.pair(at + 8);
  auto damaged = [&](uint32_t i, const Twine &why) {
    return wrong("record " + Twine(i) + " of " + where + " is damaged: " + why);
  };
  if (stream.endClock < stream.beginClock)
    return wrong("the end of " + where + " is before its begin; the file is damaged");
  uint64_t clock = stream.beginClock;
  unsigned tiles = 0;
  std::array<int, 4> indices{};
  stream.records.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    auto wordOf = [&](uint32_t record, unsigned word) {
      return words[at + tk::profile_stream_words + uint64_t(record) * tk::profile_record_words +
                   word];
    };
    // Records are in order, so that a low word that fell means that the high one rose.
    clock += wordOf(i, 0) - uint32_t(clock);
    if (clock > stream.endClock)
      return damaged(i, "its clock is after the end of the role");
    uint32_t number = wordOf(i, 1);
    auto point = kernel.points.find(int(number & 0xffff));
    if (point == kernel.points.end())
      return damaged(i, "the table has no number " + Twine(number & 0xffff));
    if (!point->second.indices.empty()) {
      if (count - i < 3 && !isWhole)
        break;
      if (count - i < 3)
        return damaged(i, "the indices of its tile are missing");
      for (unsigned k = 0; k < 4; ++k)
        indices[k] = int(wordOf(i + 1 + k / 2, k % 2));
      i += 2;
      ++tiles;
    }
    stream.records.push_back({clock, &point->second, number >> 16, tiles ? tiles - 1 : 0, indices});
  }
  return Error::success();
}

/// Over all streams: %globaltimer may be coarser than one stream is long.
static double rateOf(const Run &run) {
  double cycles = 0, nanoseconds = 0;
  for (const Block &block : run.blocks)
    for (const Stream &stream : block.streams) {
      cycles += double(stream.endClock - stream.beginClock);
      nanoseconds += double(int64_t(stream.endTime - stream.beginTime));
    }
  return cycles > 0 && nanoseconds > 0 ? cycles / nanoseconds : 1;
}

double Run::timeOf(const Stream &stream, uint64_t clock) const {
  return double(stream.beginTime - firstTime) +
         double(int64_t(clock - stream.beginClock)) / cyclesPerNanosecond;
}

Expected<Run> tkc::profile::readRun(StringRef bytes, const Table &table, MissingRecords missing) {
  Expected<Header> header = readHeader(bytes);
  if (!header)
    return header.takeError();
  if (Error error = check(*header, bytes, table))
    return error;
  Words words(bytes);
  Run run{&table.kernels[header->kernel], {}, 1};
  if (Error error = checkRoom(*header, words, run, missing))
    return error;
  run.blocks.resize(header->blocks);
  run.firstTime = UINT64_MAX;
  for (uint64_t b = 0; b < header->blocks; ++b)
    for (uint64_t s = 0; s < header->streams; ++s) {
      Stream stream{&run.kernel->streams[s], 0, 0, 0, 0, 0, {}};
      uint64_t at = tk::profile_header_words + (b * header->streams + s) * header->streamWords();
      if (Error error = readStream(words, at, header->capacity, *run.kernel,
                                   "stream " + Twine(s) + " of block " + Twine(b), stream))
        return error;
      run.firstTime = std::min(run.firstTime, stream.beginTime);
      run.blocks[b].streams.push_back(std::move(stream));
    }
  run.cyclesPerNanosecond = rateOf(run);
  return run;
}
