//===- ProfileRun.h - The records of one run of a profiled kernel ---------===//
//
// A file holds the kernel's buffer as it is (hopper/tile/profile_format.h). What
// is read is checked against the table of the same build, so that whoever uses a
// Run may rely on it: every stream is whole, and every record's number is one of
// the table's.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PROFILE_PROFILERUN_H
#define TKC_PROFILE_PROFILERUN_H

#include "profile/ProfileTable.h"

#include <array>

namespace tkc::profile {

/// From `begin` on, until the next record of its stream, a thread does what `point` says.
struct Record {
  uint64_t clock; // %clock64 of the SM
  const Point *point;
  unsigned iteration;         // of the loop around the statement; 0 if there is none
  unsigned tile;              // how many tiles this block has begun before
  std::array<int, 4> indices; // of that tile; as many count as its point has
};

/// The records of one thread.
struct Stream {
  const StreamFacts *facts;
  unsigned sm;
  uint64_t beginTime, endTime; // %globaltimer, nanoseconds
  uint64_t beginClock, endClock;
  std::vector<Record> records; // in order
};

struct Block {
  std::vector<Stream> streams; // as the kernel's table has them
};

struct Run {
  const KernelTable *kernel;
  std::vector<Block> blocks;
  double cyclesPerNanosecond; // over all streams
  uint64_t missing = 0;       // records for which the buffer had no room
  uint64_t bufferBytes = 0, neededBytes = 0;

  /// When a stream's clock had this value, in nanoseconds from the first begin of a stream.
  double timeOf(const Stream &stream, uint64_t clock) const;
  uint64_t firstTime = 0;
};

/// The number of the build that wrote a file; fails where the bytes are no profile at all.
llvm::Expected<uint64_t> readBuild(llvm::StringRef bytes);

/// The treatment of a run whose buffer was too small.
enum class MissingRecords { Refuse, Allow };

/// The error says why the records cannot be used. `table` must outlive the run. If records may be
/// missing, each stream has its first ones.
llvm::Expected<Run> readRun(llvm::StringRef bytes, const Table &table,
                            MissingRecords missing = MissingRecords::Refuse);

} // namespace tkc::profile

#endif // TKC_PROFILE_PROFILERUN_H
