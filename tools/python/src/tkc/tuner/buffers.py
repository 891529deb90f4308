"""buffers.py - The tensors of a shape: inputs that rotate past the L2 cache, outputs that are poisoned and compared."""
import ctypes
import struct

from .launcher import Tensor
from .shapes import DTYPES

SPACING = {"bf16": 2**-7, "f16": 2**-10, "f32": 2**-23, "e4m3": 2**-3, "e5m2": 2**-2, "i8": 0, "i32": 0}  # of numbers at 1
POISON = 0xFF  # NaN of every floating-point type
MOST_SETS = 32
RESULT = struct.Struct("<dQQQff")


class Helpers:
    """The kernels of helpers.cu."""

    def __init__(self, gpu, cubin):
        self.gpu = gpu
        self.functions = {name: gpu.load(cubin, name)[1] for name in ("tkc_fill", "tkc_squares", "tkc_compare")}
        self.result = gpu.allocate(RESULT.size)

    def call(self, name, layout, *values):
        held = [ctypes.create_string_buffer(data, len(data)) for data in
                (struct.pack("<" + code, value) for code, value in zip(layout, values))]
        pointers = (ctypes.c_void_p * len(held))(*map(ctypes.addressof, held))
        config = self.gpu.config(4 * self.gpu.num_sms, 256)
        self.gpu.call("cuLaunchKernelEx", ctypes.byref(config), self.functions[name], pointers, None)
        self.gpu.synchronize()


def _rows(argument, shape):
    extents, strides = shape.extents[argument["name"]], shape.strides(argument)
    rows = 1
    for extent in extents[:-1]:
        rows *= extent
    return rows, extents[-1], strides[-2] if len(extents) > 1 else extents[-1]


class Buffers:
    """Sets of tensors for one shape; the first one's outputs are compared."""

    def __init__(self, gpu, helpers, shape):
        self.gpu, self.helpers, self.shape = gpu, helpers, shape
        self.tensors = shape.tensor_arguments()
        size = sum(shape.bytes(argument) for argument in self.tensors)
        outputs = sum(shape.bytes(argument) for argument in self.tensors if argument["written"])
        wanted = min(MOST_SETS, -(-3 * gpu.l2_bytes // size) + 1)
        fitting = int((gpu.free_bytes() * 0.9 - outputs) // size)
        if fitting < 1:
            raise MemoryError(f"the shape {shape.text()} needs {(size + outputs) / 2**30:.1f} GiB of the GPU's memory, which has "
                              f"{gpu.free_bytes() / 2**30:.1f} free")
        self.addresses, self.sets = [], []
        for number in range(min(wanted, fitting)):
            self.sets.append({argument["name"]: self._make(argument, number) for argument in self.tensors})
        self.kept = {argument["name"]: self._allocate(shape.bytes(argument)) for argument in self.outputs()}

    def outputs(self):
        return [argument for argument in self.tensors if argument["written"]]

    def _allocate(self, size):
        self.addresses.append(self.gpu.allocate(size))
        return self.addresses[-1]

    def _make(self, argument, number):
        name = argument["name"]
        tensor = Tensor(self._allocate(self.shape.bytes(argument)), argument["dtype"], self.shape.extents[name],
                        self.shape.strides(argument))
        self._fill(argument, tensor, number)
        return tensor

    def _fill(self, argument, tensor, number):
        size = self.shape.bytes(argument)
        if not argument["read"] and not argument["added"]:
            self.gpu.fill_bytes(tensor.data, POISON, size)
            return
        low, high = self.shape.ranges.get(argument["name"]) or (0, 0)
        has_range = argument["name"] in self.shape.ranges and self.shape.ranges[argument["name"]] is not None
        place = [each["name"] for each in self.tensors].index(argument["name"])
        self.helpers.call("tkc_fill", "QQiQiff", tensor.data, (size - 16) // tensor.size, DTYPES.index(argument["dtype"]),
                          1 + place + 16 * number, int(has_range), low, high)

    def reset(self):
        """Poisons the outputs of the first set; those that a kernel reads or adds to are as they were."""
        for argument in self.outputs():
            self._fill(argument, self.sets[0][argument["name"]], 0)

    def keep(self):
        """The outputs of the first set are what others are compared with."""
        self.gpu.synchronize()
        for argument in self.outputs():
            name = argument["name"]
            self.gpu.call("cuMemcpyDtoD_v2", self.kept[name], self.sets[0][name].data, self.shape.bytes(argument))

    def _clear_result(self):
        self.gpu.fill_bytes(self.helpers.result, 0, RESULT.size)
        self.gpu.fill_bytes(self.helpers.result + 24, 0xFF, 8)  # the first wrong one

    def compare(self, tolerance):
        """Why the outputs of the first set are not those that were kept; None if they are, and the worst difference."""
        worst = 0.0
        for argument in self.outputs():
            name, number = argument["name"], DTYPES.index(argument["dtype"])
            rows, columns, stride = _rows(argument, self.shape)
            self._clear_result()
            self.helpers.call("tkc_squares", "QQQQiQ", self.kept[name], rows, columns, stride, number, self.helpers.result)
            self.helpers.call("tkc_compare", "QQQQQiffQ", self.sets[0][name].data, self.kept[name], rows, columns, stride, number,
                              SPACING[argument["dtype"]], tolerance, self.helpers.result)
            _, _, wrong, first, ratio, _ = RESULT.unpack(self.gpu.read(self.helpers.result, RESULT.size))
            if wrong:
                return (f"{wrong} of {rows * columns} elements of {name} differ from the default instance's by more than is allowed, "
                        f"the first in row {first // columns}, column {first % columns}"), ratio
            worst = max(worst, ratio)
        return None, worst

    def tolerance(self):
        """As tkc run allows."""
        return max(1 / 64, max(SPACING[argument["dtype"]] for argument in self.tensors) / 2)

    def free(self):
        self.gpu.synchronize()
        for address in self.addresses:
            self.gpu.free(address)
