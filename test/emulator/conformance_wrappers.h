// The wrappers that need no tensor core: conversions, approximations, atomics of every kind,
// barriers and roles. Included by conformance.cu, whose `run` and memory it uses. What
// approximation/... computes differs in its last bits between the GPU and the host; conformance.py
// knows by how much it may.
#include <ptx/math.h>
#include <ptx/permute.h>
#include <ptx/registers.h>

// ---- values ----------------------------------------------------------------------------------

// Pairs of floats as pairs of 8-bit floats, and single ones as tf32 and integers.
__global__ void narrow_kernel(const unsigned char *in, unsigned char *out, int form) {
  griddepcontrol_wait();
  const int lane = int(lane_index());
  float low, high;
  ld_global_v2_f32(in + 8 * lane, low, high);
  uint32_t result;
  if (form == 0)
    result = cvt_e4m3x2(low, high);
  else if (form == 1)
    result = cvt_e5m2x2(low, high);
  else if (form == 2)
    result = as_bits(cvt_tf32(low));
  else if (form == 3)
    result = uint32_t(cvt_s32(low));
  else if (form == 4)
    result = cvt_up_u32(low);
  else
    result = form == 5 ? cvt_e4m3x4(low, high, -high, 0.5f * low)
                       : cvt_e5m2x4(low, high, -high, 0.5f * low);
  st_global_b32(out + 4 * lane, result);
}

// Bytes of two registers, by selectors that name each byte in each place.
__global__ void permute_kernel(unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index();
  st_global_b32(out + 4 * lane, prmt(0x33221100u + lane, 0x77665544u - lane,
                                     0x76543210u + lane % 8 * 0x1111u & 0x7777u));
}

// All 256 patterns of an 8-bit float as 16-bit ones: 8 in each lane.
__global__ void widen_kernel(unsigned char *out, int is_e5m2) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index();
  for (uint32_t i = 0; i < 4; ++i) {
    const uint16_t pair = uint16_t((8 * lane + 2 * i) | (8 * lane + 2 * i + 1) << 8);
    const uint32_t wide = is_e5m2 ? cvt_f16x2_e5m2x2(pair) : cvt_f16x2_e4m3x2(pair);
    // Which NaN it becomes is not part of the format.
    const float values[2] = {f16_low(wide), cvt_f32_f16(uint16_t(wide >> 16))};
    for (uint32_t j = 0; j < 2; ++j)
      st_global_b32(out + 4 * (8 * lane + 2 * i + j),
                    values[j] == values[j] ? as_bits(values[j]) : 0x7fc00000);
  }
}

__global__ void wide_product_kernel(unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), a = opaque(lane * 0x9e3779b9u),
                 b = opaque(0xffffffffu - lane * 77777);
  const wide_product product = mul_wide(a, b);
  st_global_v2_b32(out + 8 * lane, product.low, product.high);
}

// Of 1/16 to 4, and for sine and cosine of both signs.
__global__ void approximation_kernel(unsigned char *out, int form) {
  griddepcontrol_wait();
  const int lane = int(lane_index());
  for (int i = 0; i < 2; ++i) {
    const float at = float(lane + 32 * i + 1) / 16, signed_at = i ? at - 2 : -at;
    const float value = form == 0   ? ex2(signed_at)
                        : form == 1 ? lg2(at)
                        : form == 2 ? rcp(at)
                        : form == 3 ? rsqrt_approx(at)
                        : form == 4 ? sqrt_approx(at)
                        : form == 5 ? sin_approx(signed_at)
                        : form == 6 ? cos_approx(signed_at)
                                    : tanh_approx(signed_at);
    st_global_f32(out + 4 * (lane + 32 * i), arrived(value));
  }
}

// ---- memory ----------------------------------------------------------------------------------

__global__ void vector_access_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base();
  float f0, f1, f2, f3;
  ld_global_v4_f32(in + 16 * lane, f0, f1, f2, f3);
  st_shared_v4_f32(base + 16 * lane, f3, f2, f1, f0);
  st_shared_v2_b32(base + 512 + 8 * lane, lane, 2 * lane);
  __syncwarp();
  ld_shared_v4_f32(base + 16 * (31 - lane), f0, f1, f2, f3);
  st_global_v4_f32(out + 16 * lane, f0, f1, f2, f3);
  __syncwarp();
  ld_shared_v2_f32(base + 8 * lane, f0, f1);
  st_shared_v2_f32(base + 8 * lane, f1, f0);
  st_global_v2_f32(out + 512 + 8 * lane, f0, ld_global_f32(in + 4 * lane));
  __syncwarp();
  f0 = ld_shared_f32(base + 4 * (63 - lane));
  __syncwarp();
  st_shared_f32(base + 4 * lane, f0);
  __syncwarp();
  st_global_b32(out + 768 + 4 * lane,
                ld_shared_b32(base + 4 * lane) ^ ld_shared_b32(base + 512 + 4 * lane));
}

// Some lanes access memory; the addresses of the others are null.
__global__ void conditional_access_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  const int lane = int(lane_index());
  const auto reach = [&](int every) { return lane % every == 0 ? in + 8 * lane : nullptr; };
  uint32_t r0, r1;
  ld_global_if_v2_b32(lane % 5 == 0, reach(5), r0, r1);
  const uint32_t results[] = {ld_global_if_b8(lane % 2 == 0, reach(2)),
                              ld_global_if_b16(lane % 3 == 0, reach(3)),
                              ld_global_if_b32(lane % 4 == 0, reach(4)),
                              as_bits(ld_global_if_f32(lane % 4 == 0, reach(4))),
                              r0,
                              r1};
  for (int i = 0; i < 6; ++i)
    st_global_b32(out + 32 * lane + 4 * i, results[i]);
  unsigned char *mine = out + 32 * lane + 28;
  st_global_b32(mine, 0);
  st_global_if_b32(lane % 2 == 0, lane % 2 == 0 ? mine : nullptr, 0x01020304u);
  st_global_if_b16(lane % 3 == 0, lane % 3 == 0 ? mine : nullptr, uint16_t(lane));
  st_global_if_b8(lane % 5 == 0, lane % 5 == 0 ? mine + 3 : nullptr, uint16_t(lane));
}

// Atomics with an answer, of 32 lanes that each have a word of their own, so that the answer is the
// same in any order.
__global__ void answer_kernel(unsigned char *out, int is_shared) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), word = shared_memory_base() + 4 * lane;
  unsigned char *mine = out + 64 * lane;
  if (is_shared) {
    st_shared_b32(word, 5 * lane);
    st_global_b32(mine, atom_shared_add_u32(word, lane));
    st_global_b32(mine + 4, uint32_t(atom_shared_add_s32(word, -3 * int(lane))));
    st_global_b32(mine + 8, uint32_t(atom_shared_max_s32(word, 40)));
    st_global_b32(mine + 12, atom_shared_max_u32(word, 60));
    st_global_b32(mine + 16, uint32_t(atom_shared_min_s32(word, -int(lane))));
    st_global_b32(mine + 20, atom_shared_min_u32(word, 1u << 31));
    st_global_b32(mine + 24, atom_shared_exch_b32(word, lane % 4));
    st_global_b32(mine + 28, atom_shared_cas_b32(word, 2, as_bits(1.5f)));
    st_global_b32(mine + 32, as_bits(atom_shared_add_f32(word, 0.25f)));
    st_global_b32(mine + 36, ld_shared_b32(word));
  } else {
    unsigned char *own = mine + 60;
    st_global_b32(own, 5 * lane);
    st_global_b32(mine, atom_global_add_u32(own, lane));
    st_global_b32(mine + 4, uint32_t(atom_global_add_s32(own, -3 * int(lane))));
    st_global_b32(mine + 8, uint32_t(atom_global_max_s32(own, 40)));
    st_global_b32(mine + 12, atom_global_max_u32(own, 60));
    st_global_b32(mine + 16, uint32_t(atom_global_min_s32(own, -int(lane))));
    st_global_b32(mine + 20, atom_global_min_u32(own, 1u << 31));
    st_global_b32(mine + 24, atom_global_exch_b32(own, lane % 4));
    st_global_b32(mine + 28, atom_global_cas_b32(own, 2, as_bits(1.5f)));
    st_global_b32(mine + 32, as_bits(atom_global_add_f32(own, 0.25f)));
    st_global_b32(mine + 36, atom_global_cas_b16(own + 2, uint16_t(lane % 2 * 0x3fc0), 3));
    red_global_max_s32(own, 0x3fd00000 - int(lane));
    red_global_min_s32(own, 0x3fcffff0);
    red_global_max_u32(own, 0x3fcffff0 + lane);
    red_global_min_u32(own, 0x3fcffff8);
  }
}

__global__ void vector_reduction_kernel(unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index();
  red_global_add_v2_f32(out, 1, float(lane));
  red_global_add_v2_bf16x2(out + 16, 0x40003f80u, 0x3f803f80u);
  red_global_add_v4_f16x2(out + 32, 0x40003c00u, 0x3c003c00u, 0, 0x3c000000u);
}

// Each lane stores, and adds to one place, with a policy of L2.
__global__ void policy_access_kernel(unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index();
  const cache_policy keep = cache_policy::evict_last, leave = cache_policy::evict_first;
  unsigned char *mine = out + 32 * lane;
  st_global_v2_b32(mine, lane, 3 * lane, keep);
  st_global_v2_f32(mine + 8, float(lane), 0.5f, leave);
  st_global_b32(mine + 16, 5 * lane, leave);
  st_global_f32(mine + 20, 7.0f * float(lane), keep);
  st_global_b16(mine + 24, uint16_t(9 * lane), keep);
  st_global_b8(mine + 26, uint16_t(lane), leave);
  unsigned char *sums = out + 1024;
  red_global_add_f32(sums, float(lane), keep);
  red_global_add_s32(sums + 4, -int(lane), leave);
  red_global_add_u32(sums + 8, lane, keep);
  red_global_add_f16x2(sums + 12, 0x40003c00u, leave);
  red_global_add_bf16x2(sums + 16, 0x40003f80u, keep);
  red_global_add_f16(sums + 20, 0x3c00, leave);
  red_global_add_bf16(sums + 22, 0x3f80, keep);
}

// ---- barriers and roles ----------------------------------------------------------------------

// Warp 0 writes and arrives, warp 1 meets it and reads; then the other way round with a barrier of
// all.
__global__ void named_barrier_kernel(unsigned char *out) {
  griddepcontrol_wait();
  griddepcontrol_launch_dependents();
  const uint32_t lane = lane_index(), base = shared_memory_base();
  if (warp_index() == 0) {
    st_shared_b32(base + 4 * lane, 7 * lane);
    named_barrier_arrive(3, 64);
  } else {
    named_barrier_sync(3, 64);
    st_global_b32(out + 4 * lane, ld_shared_b32(base + 4 * (31 - lane)));
    st_shared_b32(base + 128 + 4 * lane, 9 * lane);
  }
  named_barrier_sync(15, 64);
  if (warp_index() == 0)
    st_global_b32(out + 128 + 4 * lane, ld_shared_b32(base + 128 + 4 * (31 - lane)));
}

// An mbarrier that counts some lanes, what is announced apart from the arrival, and copies of each
// lane.
__global__ void mbarrier_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base();
  if (lane == 0) {
    mbarrier_init(base, 11);
    mbarrier_init(base + 8, 3);
    mbarrier_init(base + 16, 32);
    fence_mbarrier_init();
  }
  __syncwarp();
  mbarrier_arrive_if(base, lane % 3 == 0);
  mbarrier_wait_parity(base, 0);
  if (lane == 0) {
    mbarrier_expect_tx(base + 8, 128);
    cp_async_bulk_load(base + 512, in, 128, base + 8);
    mbarrier_arrive(base + 8, 3);
  }
  mbarrier_wait_parity(base + 8, 0);
  cp_async_4(base + 640 + 4 * lane, in + 4 * lane);
  cp_async_mbarrier_arrive(base + 16);
  mbarrier_wait_parity(base + 16, 0);
  st_global_v2_b32(out + 8 * lane, ld_shared_b32(base + 512 + 4 * lane),
                   ld_shared_b32(base + 640 + 4 * (31 - lane)));
}

// Who is who, one thread of each warp, and registers handed from the first warpgroup to the others.
__global__ void __launch_bounds__(384, 1) role_kernel(unsigned char *out) {
  griddepcontrol_wait();
  const int group = warpgroup_index();
  if (group == 0)
    setmaxnreg_dec<40>();
  else
    setmaxnreg_inc<232>();
  const bool is_elected = elect_one();
  const uint32_t elected = uint32_t(redux_add(int(is_elected)));
  st_global_b32(out + 4 * threadIdx.x, uint32_t(group << 16 | warp_index() << 8) | elected);
}

// ---- copies ----------------------------------------------------------------------------------

// A box there and back, and added to what is there, with each policy of L2, and a buffer that is
// written again once it has been read.
__global__ void policy_kernel(const __grid_constant__ CUtensorMap from,
                              const __grid_constant__ CUtensorMap to, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  if (threadIdx.x == 0) {
    mbarrier_init(base, 1);
    fence_mbarrier_init();
    const cache_policy policies[3] = {cache_policy::normal, cache_policy::evict_first,
                                      cache_policy::evict_last};
    for (int i = 0; i < 3; ++i) {
      const int at[2] = {0, 8 * i};
      mbarrier_arrive_expect_tx(base, 1024);
      cp_async_bulk_tensor_load(base + tile, from, at, base, policies[i]);
      mbarrier_wait_parity(base, uint32_t(i % 2));
      cp_async_bulk_tensor_store(to, at, base + tile, policies[2 - i]);
      bulk_commit();
      bulk_wait<0>();
      cp_reduce_async_bulk_tensor_add(to, at, base + tile, policies[i]);
      bulk_commit();
      bulk_wait_read<0>();
    }
    bulk_wait<0>();
  }
}

// Blocks write to the next one's memory, and signal it: each with one arrival and 512 bytes to
// come.
__global__ void neighbour_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base(), rank = cluster_rank(), blocks = cluster_blocks(),
                 t = threadIdx.x;
  if (t == 0) {
    mbarrier_init(base, 1);
    mbarrier_init(base + 8, 16);
    fence_mbarrier_init();
  }
  barrier_cluster_arrive();
  barrier_cluster_wait();
  const uint32_t next = (rank + 1) % blocks;
  st_cluster_v4_b32(mapa(base + 64 + 16 * t, next), t, rank, t + rank, 5);
  st_cluster_f32(mapa(base + 576 + 4 * t, next), float(t * rank));
  mbarrier_arrive_cluster_if(mapa(base + 8, next), t % 2 == 1);
  mbarrier_wait_parity(base + 8, 0);
  if (t == 0)
    mbarrier_arrive_expect_tx_cluster(mapa(base, next), 512 * blocks);
  barrier_cluster_arrive();
  barrier_cluster_wait();
  if (t == 0)
    cp_async_bulk_load_multicast(base + tile + 512 * rank, in + 512 * rank, 512, base,
                                 uint16_t((1u << blocks) - 1));
  barrier_cluster_arrive_relaxed(); // hands nothing on
  mbarrier_wait_parity(base, 0);
  barrier_cluster_wait();
  unsigned char *mine = out + 4096 * blockIdx.x;
  uint32_t r0, r1, r2, r3;
  ld_cluster_v4_b32(base + 64 + 16 * t, r0, r1, r2, r3);
  st_global_v4_b32(mine + 16 * t, r0, r1, r2, r3);
  st_global_f32(mine + 512 + 4 * t, ld_cluster_f32(mapa(base + 576 + 4 * t, next)));
  for (uint32_t i = t; i < 128 * blocks; i += 32)
    st_global_b32(mine + 640 + 4 * i, ld_shared_b32(base + tile + 4 * i));
  barrier_cluster_arrive();
  barrier_cluster_wait();
}

// ---- cases -----------------------------------------------------------------------------------

static void wrappers() {
  const unsigned char *in = device_input;
  const float edges[64] = {0,
                           -0.0f,
                           1,
                           -1,
                           448,
                           464,
                           465,
                           -480,
                           57344,
                           61440,
                           61441,
                           1e6f,
                           -1e6f,
                           0.0625f,
                           0.015625f,
                           0.001953125f,
                           0.0009765625f,
                           1e-5f,
                           1.0625f,
                           1.1875f,
                           1.125f,
                           1.375f,
                           0.49999997f,
                           2147483520,
                           2147483648.0f,
                           -2147483648.0f,
                           -3e9f,
                           4294967040.0f,
                           4294967296.0f,
                           1e20f,
                           INFINITY,
                           -INFINITY,
                           1e-30f,
                           -0.3f,
                           1.9999999f,
                           2.5f,
                           -2.5f,
                           17.01f};
  memcpy(input, edges, sizeof edges);
  for (int i = 38; i < 64; ++i) {
    const float value = (float(next_random()) - 1e9f) * 1e-8f;
    memcpy(input + 4 * i, &value, 4);
  }
  const char *const forms[] = {"e4m3", "e5m2", "tf32", "s32", "up_u32", "e4m3x4", "e5m2x4"};
  for (int form = 0; form < 7; ++form)
    run(std::string("convert/") + forms[form], 128, {}, narrow_kernel, in, device_output, form);
  run("convert/from_e4m3", 1024, {}, widen_kernel, device_output, 0);
  run("convert/from_e5m2", 1024, {}, widen_kernel, device_output, 1);
  run("convert/permute", 128, {}, permute_kernel, device_output);
  run("math/mul_wide", 256, {}, wide_product_kernel, device_output);
  const char *const names[] = {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh"};
  for (int form = 0; form < 8; ++form)
    run(std::string("approximation/") + names[form], 256, {}, approximation_kernel, device_output,
        form);
  fill(u8_, 0, 1024);
  run("memory/vectors", 1024, {32, 2048}, vector_access_kernel, in, device_output);
  run("memory/conditional", 1024, {}, conditional_access_kernel, in, device_output);
  run("atomic/answers_global", 2048, {}, answer_kernel, device_output, 0);
  run("atomic/answers_shared", 2048, {}, answer_kernel, device_output, 1);
  run("atomic/vectors", 64, {}, vector_reduction_kernel, device_output);
  run("memory/policies", 1056, {}, policy_access_kernel, device_output);
  run("barrier/named", 256, {64}, named_barrier_kernel, device_output);
  run("mbarrier/kinds", 256, {}, mbarrier_kernel, in, device_output);
  run("registers/roles", 1536, {384}, role_kernel, device_output);
  host::tensor_maps maps("conformance");
  const tk_tensor from = view(device_input, TK_BF16, {24, 64}, {64, 1}),
                  to = view(device_output, TK_BF16, {24, 64}, {64, 1});
  fill(bf16_, 0, 24 * 128);
  run("tma/policies", 24 * 128, {32, tile + 1024}, policy_kernel,
      maps.tile(&from, {8, 64}, swizzle_128), maps.tile(&to, {8, 64}, swizzle_128), device_output);
  for (int blocks : {2, 4})
    run("cluster/neighbours" + std::to_string(blocks), 4096 * blocks,
        {32, tile + 2048, blocks, blocks}, neighbour_kernel, in, device_output);
}
