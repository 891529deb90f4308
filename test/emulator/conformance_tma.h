// TMA: boxes of tensors in each mode, bulk copies and reductions, copies of single elements, and
// clusters. Included by conformance.cu, whose `run` and memory it uses.
#include <ptx/cluster.h>
#include <ptx/cp_async.h>
#include <ptx/tma.h>

// ---- TMA -------------------------------------------------------------------------------------

constexpr int tensor_rows = 40, tensor_columns = 88, pitch = 96; // of 16-bit elements
constexpr int tile = 1024;

// Loads a box, and dumps it as it lies in shared memory.
template <int rank>
__global__ void load_kernel(const __grid_constant__ CUtensorMap map, unsigned char *out, int c0,
                            int c1, int c2, int c3, int bytes) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  if (threadIdx.x == 0) {
    mbarrier_init(base, 1);
    fence_mbarrier_init();
    prefetch_tensormap(map);
    const int all[4] = {c0, c1, c2, c3};
    int at[rank];
    for (int i = 0; i < rank; ++i)
      at[i] = all[i];
    cp_async_bulk_prefetch_tensor(map, at);
    mbarrier_arrive_expect_tx(base, uint32_t(bytes));
    cp_async_bulk_tensor_load(base + tile, map, at, base);
  }
  __syncthreads();
  mbarrier_wait_parity(base, 0);
  for (int i = int(threadIdx.x) * 16; i < bytes; i += 32 * 16) {
    uint32_t r0, r1, r2, r3;
    ld_shared_v4_b32(base + tile + uint32_t(i), r0, r1, r2, r3);
    st_global_v4_b32(out + i, r0, r1, r2, r3);
  }
}

// Stores, or adds, a box of the bytes 1, 2, 3 ... or of ones of the type.
__global__ void store_kernel(const __grid_constant__ CUtensorMap map, int c0, int c1, int bytes,
                             int adds, uint32_t one) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  for (int i = int(threadIdx.x) * 4; i < bytes; i += 32 * 4)
    st_shared_b32(base + tile + uint32_t(i), adds ? one : uint32_t(i) * 2654435761u);
  fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    const int at[2] = {c0, c1};
    if (adds)
      cp_reduce_async_bulk_tensor_add(map, at, base + tile);
    else
      cp_async_bulk_tensor_store(map, at, base + tile);
    bulk_commit();
    bulk_wait<0>();
  }
}

__global__ void bulk_kernel(const unsigned char *in, unsigned char *out, int form) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  if (threadIdx.x == 0) {
    mbarrier_init(base, 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(base, 256);
    cp_async_bulk_prefetch(in, 256);
    cp_async_bulk_load(base + tile, in, 256, base);
    mbarrier_wait_parity(base, 0);
    cp_async_bulk_store(out, base + tile, 256);
    bulk_commit();
    bulk_wait<0>();
    if (form == 1)
      cp_reduce_async_bulk_add_f32(out, base + tile, 256);
    else if (form == 2)
      cp_reduce_async_bulk_add_f16(out, base + tile, 256);
    else if (form == 3)
      cp_reduce_async_bulk_add_bf16(out, base + tile, 256);
    bulk_commit();
    bulk_wait<0>();
  }
}

__global__ void copy_kernel(const unsigned char *in, unsigned char *out, int size, int given) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base(), at = base + 16 * lane;
  st_shared_v4_b32(at, 1, 2, 3, 4);
  if (size == 16)
    cp_async_16(at, in + 16 * lane, uint32_t(given));
  else if (size == 8)
    cp_async_8(at, in + 8 * lane, uint32_t(given));
  else
    cp_async_4(at, in + 4 * lane, uint32_t(given));
  cp_async_commit();
  cp_async_wait<0>();
  uint32_t r0, r1, r2, r3;
  ld_shared_v4_b32(at, r0, r1, r2, r3);
  st_global_v4_b32(out + 16 * lane, r0, r1, r2, r3);
}

static tk_tensor view(void *data, int dtype, std::vector<int> extents, std::vector<int> strides) {
  tk_tensor t = {};
  t.data = data;
  t.dtype = dtype;
  t.rank = int32_t(extents.size());
  for (size_t i = 0; i < extents.size(); ++i)
    t.extents[i] = extents[i], t.strides[i] = strides[i];
  return t;
}

static void boxes() {
  for (int i = 0; i < input_bytes / 2; ++i) {
    const uint16_t value = uint16_t(i + 1);
    memcpy(input + 2 * i, &value, 2);
  }
  const int corners[9][2] = {{0, 0},   {3, 24}, {30, 64}, {-5, 8}, {-16, 0},
                             {4, -16}, {40, 0}, {0, 88},  {39, 80}};
  for (int span : {16, 32, 64, 128})
    for (const auto &corner : corners) {
      const int box_columns = span == 16 ? 24 : span / 2, bytes = 16 * box_columns * 2;
      const std::string name = "swizzle" + std::to_string(span) + "/" + std::to_string(corner[0]) +
                               "," + std::to_string(corner[1]);
      const tk_tensor from = view(device_input, TK_BF16, {tensor_rows, tensor_columns}, {pitch, 1});
      host::tensor_maps maps("conformance");
      const CUtensorMap map = maps.tile(&from, {16, box_columns}, swizzle(span));
      run("tma/load/" + name, bytes, {32, tile + 4096}, load_kernel<2>, map, device_output,
          corner[1], corner[0], 0, 0, bytes);
      if (corner[0] < 0 || corner[1] < 0)
        continue;
      const tk_tensor to = view(device_output, TK_BF16, {tensor_rows, tensor_columns}, {pitch, 1});
      const CUtensorMap out = maps.tile(&to, {16, box_columns}, swizzle(span));
      run("tma/store/" + name, tensor_rows * pitch * 2, {32, tile + 4096}, store_kernel, out,
          corner[1], corner[0], bytes, 0, 0u);
    }
  host::tensor_maps maps("conformance");
  const struct {
    const char *name;
    int type;
    uint32_t one;
  } types[] = {
      {"f32", TK_F32, 0x3f800000}, {"bf16", TK_BF16, 0x3f803f80}, {"f16", TK_F16, 0x3c003c00}};
  for (const auto &type : types)
    for (int row : {0, 36}) {
      const tk_tensor to = view(device_output, type.type, {tensor_rows, 48}, {48, 1});
      const int columns = type.type == TK_F32 ? 8 : 16;
      const CUtensorMap map = maps.tile(&to, {8, columns}, swizzle_32);
      run(std::string("tma/add/") + type.name + "/" + std::to_string(row), tensor_rows * 48 * 4,
          {32, tile + 4096, 3}, store_kernel, map, 16, row, 256, 1, type.one);
    }
  const tk_tensor flat = view(device_input, TK_BF16, {100}, {1});
  run("tma/load/rank1", 128, {32, tile + 4096}, load_kernel<1>,
      maps.tile(&flat, {64}, swizzle_none), device_output, 64, 0, 0, 0, 128);
  run("tma/load/rank1_swizzle", 128, {32, tile + 4096}, load_kernel<1>,
      maps.tile(&flat, {64}, swizzle_128), device_output, 8, 0, 0, 0, 128);
  const tk_tensor cube = view(device_input, TK_BF16, {6, 10, 64}, {640, 64, 1});
  run("tma/load/rank3", 1024, {32, tile + 4096}, load_kernel<3>,
      maps.tile(&cube, {2, 4, 64}, swizzle_128), device_output, 0, 8, 5, 0, 1024);
  const tk_tensor four = view(device_input, TK_F32, {3, 4, 5, 32}, {640, 160, 32, 1});
  run("tma/load/rank4", 2048, {32, tile + 4096}, load_kernel<4>,
      maps.tile(&four, {2, 2, 4, 32}, swizzle_128), device_output, 0, 3, 2, 2, 2048);
  run("tma/load/rank4_one_row", 128, {32, tile + 4096}, load_kernel<4>,
      maps.tile(&four, {32}, swizzle_128), device_output, 0, 3, 2, 2, 128);
  for (int i = 0; i < 64; ++i) {
    const float value = float(i);
    memcpy(input + 4 * i, &value, 4);
  }
  run("bulk/copy", 256, {32, tile + 4096}, bulk_kernel, (const unsigned char *)device_input,
      device_output, 0);
  run("bulk/add_f32", 256, {32, tile + 4096}, bulk_kernel, (const unsigned char *)device_input,
      device_output, 1);
  fill(f16_, 0, 256);
  run("bulk/add_f16", 256, {32, tile + 4096}, bulk_kernel, (const unsigned char *)device_input,
      device_output, 2);
  fill(bf16_, 0, 256);
  run("bulk/add_bf16", 256, {32, tile + 4096}, bulk_kernel, (const unsigned char *)device_input,
      device_output, 3);
  for (int size : {4, 8, 16})
    for (int given : {0, size / 2, size})
      run("cp_async/" + std::to_string(size) + "/" + std::to_string(given), 512, {}, copy_kernel,
          (const unsigned char *)device_input, device_output, size, given);
}

// ---- clusters --------------------------------------------------------------------------------

__global__ void cluster_kernel(const __grid_constant__ CUtensorMap map, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base(), rank = cluster_rank(), blocks = cluster_blocks();
  if (threadIdx.x == 0) {
    mbarrier_init(base, 1);
    mbarrier_init(base + 8, blocks);
    fence_mbarrier_init();
  }
  st_shared_b32(base + 64 + 4 * threadIdx.x, 1000 * rank + threadIdx.x);
  barrier_cluster_arrive();
  barrier_cluster_wait();
  if (threadIdx.x == 0) { // each block loads its part of the tile into all
    mbarrier_arrive_expect_tx(base, 1024 * blocks);
    const int at[2] = {0, int(8 * rank)};
    cp_async_bulk_tensor_load_multicast(base + tile + 1024 * rank, map, at, base,
                                        uint16_t((1u << blocks) - 1));
  }
  mbarrier_wait_parity(base, 0);
  if (threadIdx.x < blocks)
    mbarrier_arrive_cluster(mapa(base + 8, threadIdx.x));
  mbarrier_wait_parity(base + 8, 0);
  unsigned char *mine = out + 8192 * blockIdx.x;
  st_global_b32(mine + 4 * threadIdx.x,
                ld_cluster_b32(mapa(base + 64 + 4 * threadIdx.x, (rank + 1) % blocks)));
  for (uint32_t i = threadIdx.x; i < 256 * blocks; i += 32)
    st_global_b32(mine + 128 + 4 * i, ld_shared_b32(base + tile + 4 * i));
  barrier_cluster_arrive();
  barrier_cluster_wait();
}

static void clusters() {
  for (int i = 0; i < input_bytes / 2; ++i) {
    const uint16_t value = uint16_t(3 * i);
    memcpy(input + 2 * i, &value, 2);
  }
  host::tensor_maps maps("conformance");
  const tk_tensor from = view(device_input, TK_BF16, {64, 64}, {64, 1});
  for (int blocks : {2, 4})
    run("cluster/" + std::to_string(blocks), 8192 * blocks, {32, tile + 8192, blocks, blocks},
        cluster_kernel, maps.tile(&from, {8, 64}, swizzle_128), device_output);
}
