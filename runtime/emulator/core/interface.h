//===- core/interface.h - What the ptx headers call -----------------------===//
//
// One function per instruction of the runtime's ptx layer, with its operands
// and the place it is called from. All of them act for the running CUDA thread.
// None returns after a fault: the fiber is left for good and the launch ends
// with a report.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_INTERFACE_H
#define TK_EMULATOR_CORE_INTERFACE_H

#include <core/number.h>
#include <cstdint>
#include <host/abi.h>
#include <source_location>

struct uint3 {
  unsigned x, y, z;
};

// The emulator's tensor map. 128 bytes at a multiple of 64, like the driver's.
struct alignas(64) CUtensorMap {
  void *data;
  int64_t extents[5]; // elements, fastest dimension first
  int64_t strides[4]; // bytes, of dimensions 1 and up
  uint16_t box[5];    // elements
  uint8_t rank;
  uint8_t element_bytes;
  uint8_t swizzle; // span in bytes; 16 for none
  uint8_t type;    // a tk_dtype
  uint32_t magic;  // tensor_map_magic
};
static_assert(sizeof(CUtensorMap) == 128);

namespace tk::emulator {

using place = std::source_location;

// What the built-in variables read. Set before a fiber is entered.
struct thread_position {
  uint3 thread_index, block_index, block_extent, grid_extent;
  uint32_t cluster_rank, cluster_blocks;
};
extern thread_position *position;

// Dynamic shared memory starts where it does on the GPU: after the kilobyte that the system keeps.
constexpr uint32_t shared_base = 1024;
// A shared address names, above its low 24 bits, the block of the cluster it belongs to.
constexpr uint32_t local(uint32_t address) { return address & 0xffffff; }
constexpr uint32_t rank_of(uint32_t address) { return address >> 24; }
constexpr uint32_t address_in(uint32_t rank, uint32_t address) {
  return rank << 24 | local(address);
}
constexpr uint32_t shared_limit = 227 * 1024;
constexpr uint32_t tensor_map_magic = 0x7463616d;

// Threads of a block.
void sync_threads(place);
void sync_warp(uint32_t mask, place);
// `source_lane` must be in the mask.
uint32_t shuffle(uint32_t mask, uint32_t value, int source_lane, place);
// The values of all lanes of the mask, by lane.
struct lane_values {
  uint32_t of[32];
};
lane_values gather_lanes(const char *instruction, uint32_t mask, uint32_t value, place);
bool elect_one(place);
void named_barrier(uint32_t id, uint32_t threads, bool wait, place);
void setmaxnreg(int registers, bool increase, place);
void griddepcontrol_wait(place);

// Clusters.
void cluster_arrive(bool release, place);
void cluster_wait(place);
uint32_t map_to_rank(uint32_t address, uint32_t rank, place);

// Mbarriers. `remote` arrivals take an address of any block of the cluster.
void mbarrier_init(uint32_t address, uint32_t count, place);
void mbarrier_arrive(uint32_t address, uint32_t count, uint32_t expected_bytes, bool remote, place);
void mbarrier_expect(uint32_t address, uint32_t bytes, place);
bool mbarrier_try_wait(uint32_t address, uint32_t parity, place);
void mbarrier_wait(uint32_t address, uint32_t parity, place);

// Fences.
void fence_proxy_async(place);
void fence_mbarrier_init(place);

// Tensor memory accelerator. Coordinates: fastest dimension first. `blocks` is the mask of a
// multicast, or 0 for the own block.
void tma_load(uint32_t destination, const CUtensorMap &map, const int *coordinates, int rank,
              uint32_t barrier, uint32_t blocks, place);
void tma_store(const CUtensorMap &map, const int *coordinates, int rank, uint32_t source, bool adds,
               place);
void tma_prefetch(const CUtensorMap &map, int rank, place);
void bulk_load(uint32_t destination, const void *source, uint32_t bytes, uint32_t barrier,
               uint32_t blocks, place);
// `type` is the tk_dtype to add in, or -1 to copy.
void bulk_store(void *destination, uint32_t source, uint32_t bytes, int type, place);
void bulk_prefetch(const void *source, uint32_t bytes, place);
void bulk_commit(place);
void bulk_wait(int pending, bool read_only, place);

// MMAs. `a_registers` is the A fragment of the calling thread, or null: then `a` describes it
// in shared memory.
struct wgmma_operands {
  void *d; // n / 2 floats, or ints of integer types
  int n;
  number a_type, b_type;
  uint64_t a;
  int a_major;
  const uint32_t *a_registers;
  uint64_t b;
  int b_major;
  bool accumulate;
  bool negates; // A, as it is read
};
void wgmma(const wgmma_operands &, place);
void wgmma_fence(place);
void wgmma_commit(place);
void wgmma_wait(int pending, place);

// Matrices between registers and shared memory, or among the lanes of a warp.
void stmatrix(uint32_t address, const uint32_t *registers, int matrices, bool transposed, place);
void ldmatrix(uint32_t address, uint32_t *registers, int matrices, bool transposed, place);
uint32_t movmatrix(uint32_t value, place);

// MMAs of a warp. Integer types accumulate in int.
void mma_sync(float *d, number a_type, const uint32_t *a, number b_type, const uint32_t *b, place);
void mma_sync(int *d, number a_type, const uint32_t *a, number b_type, const uint32_t *b, place);

// Copies of one thread: `given` bytes, then zeros up to `bytes`.
void copy_async(uint32_t destination, const void *source, int bytes, uint32_t given, place);
void copy_commit(place);
void copy_wait(int pending, place);
void copy_arrive(uint32_t barrier, place);

// What registers hold: words, or bits that may be four bytes of any value.
enum class content { words, bits };

// Ordinary loads and stores. `bytes` is also the alignment.
void load_shared(uint32_t address, void *registers, int bytes, place);
void load_cluster(uint32_t address, void *registers, int bytes, place);
void store_cluster(uint32_t address, const void *registers, int bytes, content, place);
void store_shared(uint32_t address, const void *registers, int bytes, content, place);
void load_global(const void *address, void *registers, int bytes, place);
// Before griddepcontrol.wait: the bytes there, or any others, since the kernel before may be
// writing.
void load_early(const void *address, void *registers, int bytes, place);
void store_global(void *address, const void *registers, int bytes, content, place);

// Atomics on words of 4 bytes; `reduce_global` changes `words` neighbours. atomic_... and the swap
// of 16 bits, if `expected` is there, return the old ones.
enum class atomic_type { f32, f16x2, bf16x2, s32, u32 };
enum class atomic_operation { add, min, max, exch, cas };
void reduce_global(atomic_operation, atomic_type, void *address, const void *registers, int words,
                   place);
void reduce_global_half(atomic_type pair, void *address, uint16_t value, place); // one 16-bit float
uint16_t swap_global_half(void *address, uint16_t expected, uint16_t value, place);
uint32_t atomic_global(atomic_operation, atomic_type, void *address, uint32_t value,
                       uint32_t expected, place);
uint32_t atomic_shared(atomic_operation, atomic_type, uint32_t address, uint32_t value,
                       uint32_t expected, place);

// The instructions that all threads of the launch have executed.
uint64_t virtual_time(place);

// Kernel code reads a register that is_suspicious.
void suspicious_read(const char *instruction, uint32_t bits, place);

// The tensors of the next launch. If there are any, ordinary accesses and bulk copies may touch
// nothing else.
void forget_global();
void note_global(const char *name, const tk_tensor &, int64_t element_bytes);

// Runs a kernel. `body(arguments)` is one thread's whole life.
struct launch_description {
  const char *kernel;
  int blocks;
  int cluster; // blocks of one, a divisor of `blocks`; 0 for 1
  int threads; // of a block
  int shared_bytes;
  int blocks_per_sm; // persistent blocks that share its registers; 0 for 1
  bool dependent;    // launched with the attribute of programmatic dependent launch
  void (*body)(const void *arguments);
  const void *arguments;
};
tk_status launch(const launch_description &);

// Blocks that are resident together, and so the size of a persistent grid: TK_EMULATOR_SMS, or
// tk_emulator_configure.
int num_sms();

// Whether the next launch takes its tiles in the static order of captured launches, not from a
// counter: half of them do, by seed and policy.
bool has_static_order();

} // namespace tk::emulator

extern "C" {
// Chooses seed, policy ("random", "latest", "earliest", "starve", "consumer_first"; null keeps it)
// and the number of SMs (0 keeps it) of the launches to come; overrides the
// environment. Returns 0, or -1 for an unknown policy.
int tk_emulator_configure(uint64_t seed, const char *policy, int num_sms);
// The whole report of the last launch that ended in a fault; empty if the last one was clean.
const char *tk_emulator_report(void);
}

#endif // TK_EMULATOR_CORE_INTERFACE_H
