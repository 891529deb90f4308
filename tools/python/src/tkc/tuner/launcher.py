"""launcher.py - A kernel of a launch plan, its arguments encoded once, so that a launch is one call of the driver.

The layouts are those of tile/parameters.h, the tensor maps those of host/map_dimensions.h and host/output_map.h, which
tools/python/launch/launch.cpp follows too.
"""
import ctypes
import struct

from ..errors import LaunchError
from .expressions import count_tiles, values_of
from .shapes import SIZES

MAP_TYPES = {"bf16": 9, "f16": 6, "f32": 7, "i32": 3, "e4m3": 0, "e5m2": 0, "i8": 0}
MAP_SWIZZLES = {128: 3, 64: 2, 32: 1}
PART_ROWS = 1 << 30
LARGE = 0x7FFF0000
MOST_TILES = 2**31 - 1 - 65535


class Tensor:
    """A tensor in the GPU's memory."""

    def __init__(self, data, dtype, extents, strides):
        self.data, self.dtype, self.extents, self.strides = data, dtype, list(extents), list(strides)
        self.size = SIZES[dtype]


def _dimensions(tensor, extents, parameter):
    """(extents, strides in bytes, box), the fastest dimension first."""
    rank, box = len(extents), parameter["box"]
    sizes = extents[::-1]
    strides = [16 if extent == 1 else stride * tensor.size for extent, stride in zip(sizes, tensor.strides[::-1])]
    boxes = [box[len(box) - 1 - i] if i < len(box) else 1 for i in range(rank)]
    if parameter["parts"]:
        row = strides[1]
        sizes[1] = PART_ROWS
        sizes += [LARGE, LARGE]
        strides += [row, 2**34 - row]
        boxes += [1, 1]
    return sizes, strides, boxes


def encode(gpu, tensor, parameter, extents=None):
    """The 128 bytes of a tensor map."""
    sizes, strides, boxes = _dimensions(tensor, extents or tensor.extents, parameter)
    memory = ctypes.create_string_buffer(128 + 64)
    place = (ctypes.addressof(memory) + 63) // 64 * 64
    rank = len(sizes)
    gpu.call("cuTensorMapEncodeTiled", place, MAP_TYPES[tensor.dtype], rank, tensor.data, (ctypes.c_uint64 * rank)(*sizes),
             (ctypes.c_uint64 * rank)(*strides[1:], 0), (ctypes.c_uint32 * rank)(*boxes), (ctypes.c_uint32 * rank)(*[1] * rank),
             0, MAP_SWIZZLES.get(parameter["swizzle"], 0), 2, 0)
    return ctypes.string_at(place, 128)


def _output_map(gpu, tensor, parameter):
    granule = 16 // tensor.size
    whole = list(tensor.extents)
    whole[-1] = whole[-1] // granule * granule or granule
    rank, pad = len(tensor.extents), [0] * (4 - len(tensor.extents))
    return encode(gpu, tensor, parameter, whole) + struct.pack(
        "<Q4i4q8x", tensor.data, *tensor.extents, *pad, *(stride * tensor.size for stride in tensor.strides), *pad)


def _view(tensor):
    rank = len(tensor.extents)
    head = struct.pack(f"<Q{rank}i", tensor.data, *tensor.extents)
    return head + bytes(-len(head) % 8) + struct.pack(f"<{rank}q", *(stride * tensor.size for stride in tensor.strides))


def _launch_shared_bytes(shared, blocks, gpu):
    """launch_shared_bytes() of host/grid_blocks.h."""
    share = -(-blocks // gpu.num_sms)
    return max(shared, (gpu.max_shared_bytes + 1024) // (share + 1) + 128 - 1024)


class LoadedKernel:
    """Machine code in the GPU's context."""

    def __init__(self, gpu, plan, cubin):
        self.gpu, self.plan = gpu, plan
        self.module, self.function = gpu.load(
            cubin, plan["symbol"], max(plan["launch"]["shared_bytes"], gpu.max_shared_bytes // 2))

    def bind(self, arguments, tensors, scalars):
        """A call without arguments that launches it."""
        gpu, launch = self.gpu, self.plan["launch"]
        extents = {name: tensor.extents for name, tensor in tensors.items()}
        values = values_of(self.plan, arguments, extents, scalars)
        tiles = count_tiles(self.plan, values)
        if not 0 < tiles <= MOST_TILES:
            raise LaunchError(f"the grid has {tiles} tiles when a launch has from 1 to {MOST_TILES}", 1)
        packed = [self._argument(parameter, arguments, tensors, values) for parameter in self.plan["parameters"]]
        held = [ctypes.create_string_buffer(data, len(data)) for data in packed]
        pointers = (ctypes.c_void_p * max(1, len(held)))(*map(ctypes.addressof, held))
        blocks_per_sm = launch.get("blocks_per_sm", 1)
        most = gpu.num_sms * blocks_per_sm if launch["persistent"] else 2**31 - 1
        cluster = launch["cluster"]
        blocks = max(1, min(-(-tiles // cluster), most // cluster)) * cluster
        shared = launch["shared_bytes"]
        if cluster == 1 and (blocks_per_sm > 1 or not launch["persistent"]):
            shared = _launch_shared_bytes(shared, blocks, gpu)
        config = gpu.config(blocks, launch["threads"], shared, cluster, launch["overlaps"])
        start, function, by_address = gpu.driver.cuLaunchKernelEx, self.function, ctypes.byref(config)

        def call(held=held, config=config):
            error = start(by_address, function, pointers, None)
            if error:
                raise LaunchError(f"the driver refused the launch of {self.plan['name']}: error {error}")

        return call

    def _argument(self, parameter, arguments, tensors, values):
        kind = parameter["kind"]
        if kind == "tile_counter":
            return struct.pack("<Qq", self.gpu.address_of(self.module, "tkc_tile_counters"), 0)
        if kind == "extent":
            return struct.pack("<i", values[parameter["name"]])
        argument = arguments[parameter["argument"]]
        if kind == "scalar":
            value = values[parameter["name"]]
            return struct.pack({"f32": "<f", "i32": "<i", "bool": "<?3x"}[argument["dtype"]], value)
        tensor = tensors[argument["name"]]
        if kind == "view":
            return _view(tensor)
        return _output_map(self.gpu, tensor, parameter) if parameter["output"] else encode(self.gpu, tensor, parameter)
