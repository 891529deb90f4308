//===- core/machine.h - The state of a running launch ---------------------===//
//
// Plain structs, from the launch down to one thread. The files beside this one
// each hold the functions of one mechanism (barriers, TMA, MMAs ...) and
// reach everything through `running` and `current`. One launch runs at a time,
// on one host thread, so these are ordinary globals.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_MACHINE_H
#define TK_EMULATOR_CORE_MACHINE_H

#include "core/clock.h"
#include "core/fiber.h"
#include "core/interface.h"
#include "core/options.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tk::emulator {

struct block;
struct cluster;
struct mbarrier;

// A place in the program where something happened: kept for the second half of a report.
struct site {
  const void *pc = nullptr; // in the kernel, right after the call of the instruction
  place where;
  const char *instruction = "";
  int thread = -1;
  int block = -1;
};

// What a blocked thread waits for.
enum class wait_for {
  nothing,
  phase,
  named_barrier,
  cluster_barrier,
  others,
  mmas,
  bulk_groups,
  copies,
  registers
};

struct thread : thread_position {
  block *home = nullptr;
  int number = 0;         // in the block
  uint32_t component = 0; // in the vector clocks of its cluster
  context resume = nullptr;
  void *stack = nullptr;
  bool done = false;

  // The instruction it executes, for reports.
  const void *pc = nullptr;
  place where;
  const char *instruction = "";
  const void *numbered_pc = nullptr; // the last place that became a site
  uint32_t site_number = 0;          // ... and its number

  wait_for waiting = wait_for::nothing;
  const void *waiting_on = nullptr; // the mbarrier, named barrier or rendezvous
  uint32_t waiting_value = 0;       // parity, group or register count
  uint32_t waiting_site = 0;        // of a wait for a phase
  bool may_give_up = false;         // a try_wait, which may answer false
  bool granted = false;             // ... or whose phase has completed

  vector_clock clock;

  // Bulk stores are counted by the thread that issues them.
  int bulk_agent = -1;
  uint32_t bulk_committed = 0;
  struct bulk_group {
    int to_read = 0, to_write = 0; // copies that have yet to
    uint32_t last = 0;             // the site of the last of them
  };
  std::vector<bulk_group> bulk_groups; // by number; the last one may be open

  // And so are its cp.async.
  int copy_agent = -1;
  uint32_t copies_committed = 0;
  std::vector<int> copy_groups; // by number: copies that have yet to land; the last one may be open
  struct delayed_arrival {
    mbarrier *barrier;
    uint32_t group; // all copies up to and in this one come first
    vector_clock known;
  };
  std::vector<delayed_arrival> delayed_arrivals;

  bool at_cluster_barrier = false; // it has arrived, in this phase, and has yet to wait
  uint32_t cluster_phase = 0;

  // Nobody else may see what it does from now on until it says so again.
  void tick() { clock.tick(); }

  int warp() const { return number / 32; }
  int warpgroup() const { return number / 128; }
};

// A meeting of the threads of a warp or warpgroup at one instruction; the last to come does the
// work for all.
struct rendezvous {
  const char *instruction = nullptr;
  int size = 0;
  int arrived = 0;
  thread *first = nullptr;
  std::vector<void *> operands; // by lane, null if not there yet
  std::vector<thread *> waiting;
};

// Registers of each thread of a warpgroup that MMAs accumulate in: float or int.
struct accumulator {
  int n = 0;
  bool integer = false;
  unsigned char *registers[128] = {};
  std::vector<float> values; // 64 x n, row by row, while MMAs are in flight
  std::vector<int> integers; // ... instead, of integer types
  uint32_t last_group = 0;   // the youngest group that writes it
  site issued;
  std::vector<uint32_t> at_fence; // the registers at the last wgmma_fence, if the threads hold them

  int bytes() const { return 2 * n; } // of one thread
  unsigned char *matrix() {
    return reinterpret_cast<unsigned char *>(integer ? static_cast<void *>(integers.data())
                                                     : values.data());
  }
};

// The registers that an MMA in flight reads A from, and what they held when it was issued.
struct a_fragment {
  const uint32_t *registers[128];
  std::vector<uint32_t> bits;     // 4 of each thread
  std::vector<uint32_t> at_fence; // the same at the last fence since an MMA has read it
  uint32_t group;
  site issued;
};

struct mma {
  accumulator *target;
  number a_type, b_type;
  uint64_t a, b;
  int a_major, b_major;
  bool a_in_registers;
  bool accumulate, negates;
  uint32_t group;
  std::vector<float> a_values; // 64 rows, if A is in registers
};

struct warpgroup_state {
  rendezvous meeting;
  uint32_t fences = 0;
  uint32_t committed = 0;
  uint32_t agent = 0;                                     // its component in vector clocks
  std::deque<mma> queue;                                  // issued, not yet executed; in order
  std::vector<std::unique_ptr<accumulator>> accumulators; // in flight
  std::deque<std::unique_ptr<accumulator>> returned;      // the last few, with the threads
  std::deque<a_fragment> fragments;                       // of MMAs in flight
  std::deque<a_fragment> read;                            // the last few, with the threads
  std::vector<thread *> waiting;                          // in wgmma_wait
  int registers = 0;                                      // per thread, by setmaxnreg
  int registers_wanted = 0;      // more than it has while it waits for the pool
  uint32_t fences_at_return = 0; // fences executed when accumulators were last handed back
  bool any_returned = false;
  bool scheduled = false; // its next MMA is among the pending operations
};

struct named_barrier_state {
  uint32_t expected = 0; // threads; 0 when nobody has come
  uint32_t arrived = 0;
  vector_clock clock;              // of those who have arrived
  std::vector<uint64_t> histories; // of their clocks, each once
  std::vector<thread *> waiting;
  site first;
};

struct mbarrier {
  uint32_t address = 0;
  uint32_t count = 0;
  int64_t pending = 0; // arrivals to come in this phase
  int64_t bytes = 0;   // expected and not landed; may go below zero for a while
  int64_t bytes_expected = 0, bytes_landed = 0; // of this phase, for reports
  uint32_t phase = 0;                           // completed phases
  uint32_t agent = 0;
  epoch initialised;
  epoch fenced;                                   // counter 0: no fence yet
  epoch last_load;                                // the latest TMA load that completes on it
  vector_clock arriving;                          // of all that have arrived, ever
  vector_clock completed;                         // of all completed phases
  vector_clock completed_before;                  // of all but the last of them
  bool by_bytes = false, by_bytes_before = false; // whether that phase waited for copies too
  std::vector<thread *> waiting;
  std::vector<epoch> seen; // the waits that the phase completed last has ended
};

// Eight bytes of shared memory: an mbarrier, half of a row of a matrix. Where threads touch less of
// it, it is split into bytes until all of it is written again.
struct cell {
  enum content_kind : uint8_t { nothing, value, in_flight, barrier };
  epoch write;
  content_kind content = nothing;
  bool generic = false; // written by an ordinary store
  bool atomic = false;  // ... or by atomics; then `read` holds those before the last one
  uint8_t reads = 0;    // used entries of `read`
  epoch read[3];        // since the last write, one per component
  int more = -1;        // index into block::more_reads
  int split = -1;       // index into block::split_cells; the rest then means nothing
};
constexpr uint32_t cell_bytes = 8;
using byte_cells = std::array<cell, cell_bytes>;

// One copy, or the turn of a warpgroup's next MMA.
struct async_operation {
  enum operation_kind { load, store_read, store_write, mma, copy };
  operation_kind kind;
  block *home; // whose shared memory it is about
  thread *issuer = nullptr;
  bool plain = false; // without a map: `plain_bytes` between `address` and `global`
  const void *global = nullptr;
  uint32_t plain_bytes = 0;
  uint32_t zero_bytes = 0; // of a copy: after the plain ones
  bool adds = false;       // a store that adds, in elements of the map's type
  CUtensorMap map = {};
  int coordinates[5] = {};
  uint32_t address = 0;
  uint32_t mbarrier_address = 0;
  uint32_t phase = 0;              // of the mbarrier at issue
  uint32_t group = 0;              // of the bulk store
  std::vector<unsigned char> data; // between store_read and store_write
  int warpgroup = 0;
  site issued;
};

struct block {
  int index = 0;
  int rank = 0; // in its cluster
  cluster *home = nullptr;
  std::vector<thread> threads;
  std::vector<rendezvous> warps;
  std::map<std::pair<int, uint32_t>, rendezvous> parts; // of warps, by warp and mask
  std::vector<warpgroup_state> warpgroups;
  named_barrier_state named[16];
  std::map<uint32_t, mbarrier> mbarriers;
  int unfenced_barriers = 0; // of those, initialised with no fence since
  int register_pool = 0;     // given back and not taken, per thread of a warpgroup
  std::vector<thread *> wants_registers;
  std::vector<unsigned char> memory; // of shared_bytes, at address shared_base
  std::vector<cell> cells;
  std::vector<std::vector<epoch>> more_reads;
  std::vector<byte_cells> split_cells;
  std::vector<int> unused_splits; // of split_cells
  int live = 0;
  std::vector<epoch> remote_accesses;   // by threads of other blocks, which this one must outlive
  std::vector<async_operation> pending; // in any order
  std::vector<std::vector<thread *>> runnable; // per warpgroup
  size_t runnable_count = 0;

  unsigned char *bytes(uint32_t address) { return memory.data() + (local(address) - shared_base); }
  cell &at(uint32_t address) { return cells[(local(address) - shared_base) / cell_bytes]; }
};

// The blocks that run together and reach each other's shared memory: one, unless the launch says
// more. What happened before what is tracked in it as a whole.
struct cluster {
  std::vector<std::unique_ptr<block>> blocks;
  uint32_t threads = 0; // of all blocks
  uint32_t components = 0;
  uint32_t barrier_arrived = 0; // at the cluster barrier, in this phase
  uint32_t barrier_phase = 0;
  vector_clock barrier_clock,
      barrier_completed; // of the arrivals up to now, and of completed phases
  std::vector<thread *> barrier_waiting;

  bool is_thread(uint32_t component) const { return component < threads; }
  uint32_t fence_component(uint32_t of) const { return of < threads ? threads + of : of + 1; }
  uint32_t dependency_component() const { return 2 * threads; }
  uint32_t new_agent() { return components++; }
  // With a component after it for its writes that are visible to the async proxy.
  uint32_t new_fenced_agent() { return (components += 2) - 2; }
  int live() const {
    int sum = 0;
    for (const auto &b : blocks)
      sum += b->live;
    return sum;
  }
};

struct random_numbers {
  uint64_t state;
  uint64_t next() { // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
  bool one_in(uint32_t n) { return below(n) == 0; }
};

// What comes next: a thread goes on, or one of a block's operations takes place. Neither, where the
// block can do nothing; no block, where the launch begins, grows or ends.
struct turn {
  block *home = nullptr;
  thread *next = nullptr;
  bool is_operation = false;
};

struct fault_record;

struct machine {
  const launch_description *what = nullptr;
  options chosen;
  random_numbers random{0};
  std::vector<std::unique_ptr<cluster>> resident;
  std::vector<block *> blocks; // of those
  int next_block = 0;
  uint32_t async_odds = 1; // of the random policy: one step in so many is an asynchronous operation
  int starved = 0;         // warpgroup, by the policy of that name
  int elected_lane = 0;
  context scheduler = nullptr;
  size_t block_in_turn = 0;
  turn chosen_turn; // by a thread that waits, and left to the scheduler
  bool failed = false;
  bool spinning = false; // a thread has executed what may be repeated until another does something
  uint64_t instructions = 0;    // of the ptx layer
  volatile bool patient = true; // see crash.h
  uint64_t progress = 0;        // counts completed phases, barriers, operations and threads
  std::vector<site> sites;
  std::unordered_map<uint64_t, uint32_t> site_numbers;
  std::unique_ptr<fault_record> fault;

  machine();
  ~machine();
};

extern machine *running;
extern thread *current; // null while the scheduler itself runs

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_MACHINE_H
