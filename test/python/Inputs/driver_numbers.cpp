// NVIDIA's cuda.h is included first, by the command line.
#include "driver.h"

using namespace launch;

static_assert(number::launch_cluster == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(number::launch_overlaps == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(number::sm_count == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(number::compute_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(number::compute_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(number::shared_optin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(number::most_dynamic_shared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(number::capture_relaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(number::map_u8 == CU_TENSOR_MAP_DATA_TYPE_UINT8 &&
              number::map_i32 == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(number::map_f16 == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
              number::map_f32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(number::map_bf16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(number::no_swizzle == CU_TENSOR_MAP_SWIZZLE_NONE &&
              number::swizzle_32 == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(number::swizzle_64 == CU_TENSOR_MAP_SWIZZLE_64B &&
              number::swizzle_128 == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(number::no_interleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(number::promotion_128 == CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
static_assert(number::zeros_outside == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

static_assert(sizeof(launch::CUlaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(launch::CUlaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(sizeof(launch::CUlaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(launch::CUlaunchConfig, block) == offsetof(::CUlaunchConfig, blockDimX));
static_assert(offsetof(launch::CUlaunchConfig, shared_bytes) ==
              offsetof(::CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(launch::CUlaunchConfig, stream) == offsetof(::CUlaunchConfig, hStream));
static_assert(offsetof(launch::CUlaunchConfig, attributes) == offsetof(::CUlaunchConfig, attrs));
static_assert(offsetof(launch::CUlaunchConfig, attribute_count) ==
              offsetof(::CUlaunchConfig, numAttrs));
