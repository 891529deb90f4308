"""gpu.py - A GPU through the driver's C interface and ctypes alone: memory, modules, launches, events."""
import ctypes

from .. import driver
from ..errors import LaunchError

NUM_SMS, MAJOR, MINOR, L2_BYTES, SHARED_OPTIN = 16, 75, 76, 38, 97  # of cuDeviceGetAttribute
DYNAMIC_SHARED = 8  # of cuFuncSetAttribute
CLUSTER, OVERLAPS = 4, 6  # of a launch
MAPPED_HOST_MEMORY = 2

_c, _p, _u64 = ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64
_SIGNATURES = {
    "cuDeviceGet": (_p, _c), "cuDeviceGetName": (_p, _c, _c), "cuDeviceGetAttribute": (_p, _c, _c),
    "cuDevicePrimaryCtxRetain": (_p, _c), "cuCtxSetCurrent": (_p,), "cuMemAlloc_v2": (_p, ctypes.c_size_t),
    "cuMemFree_v2": (_u64,), "cuMemsetD8Async": (_u64, ctypes.c_ubyte, ctypes.c_size_t, _p),
    "cuMemcpyDtoH_v2": (_p, _u64, ctypes.c_size_t), "cuMemcpyDtoD_v2": (_u64, _u64, ctypes.c_size_t), "cuMemGetInfo_v2": (_p, _p),
    "cuModuleLoadData": (_p, _p), "cuModuleGetFunction": (_p, _p, ctypes.c_char_p),
    "cuModuleGetGlobal_v2": (_p, _p, _p, ctypes.c_char_p), "cuFuncSetAttribute": (_p, _c, _c),
    "cuStreamCreate": (_p, ctypes.c_uint), "cuStreamSynchronize": (_p,),
    "cuStreamWaitValue32_v2": (_p, _u64, ctypes.c_uint32, ctypes.c_uint),
    "cuEventCreate": (_p, ctypes.c_uint), "cuEventRecord": (_p, _p), "cuEventElapsedTime": (_p, _p, _p),
    "cuMemHostAlloc": (_p, ctypes.c_size_t, ctypes.c_uint), "cuMemHostGetDevicePointer_v2": (_p, _p, ctypes.c_uint),
    "cuTensorMapEncodeTiled": (_p, _c, ctypes.c_uint32, _p, _p, _p, _p, _p, _c, _c, _c, _c),
    "cuLaunchKernelEx": (_p, _p, _p, _p)}


class Attribute(ctypes.Structure):
    _fields_ = [("id", _c), ("pad", _c), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint), ("stream", _p),
                ("attributes", ctypes.POINTER(Attribute)), ("attribute_count", ctypes.c_uint)]


class Gpu:
    """The first GPU, its primary context and one stream."""

    def __init__(self):
        self.driver = driver.load()
        for name, arguments in _SIGNATURES.items():
            getattr(self.driver, name).argtypes = arguments
        self.device = self._ask("cuDeviceGet", _c, 0)
        self.call("cuCtxSetCurrent", self._ask("cuDevicePrimaryCtxRetain", _p, self.device))
        self.stream = self._ask("cuStreamCreate", _p, 1)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, self.device)
        self.name = name.value.decode()
        self.num_sms, self.l2_bytes = self.attribute(NUM_SMS), self.attribute(L2_BYTES)
        self.max_shared_bytes = self.attribute(SHARED_OPTIN)
        if (self.attribute(MAJOR), self.attribute(MINOR)) != (9, 0):
            raise LaunchError(f"{self.name} is no Hopper GPU (compute capability 9.0), which the kernels are built for", 2)
        self.events = [self._ask("cuEventCreate", _p, 0) for _ in range(2)]
        self._gate = self._ask("cuMemHostAlloc", _p, 4, MAPPED_HOST_MEMORY)
        self._gate_at = self._ask("cuMemHostGetDevicePointer_v2", _u64, self._gate, 0)
        self._gate_word = ctypes.c_uint32.from_address(self._gate)

    def call(self, name, *arguments):
        error = getattr(self.driver, name)(*arguments)
        if error:
            raise LaunchError(f"{name}: {driver.describe(self.driver, error)}")

    def _ask(self, name, kind, *arguments):
        result = kind()
        self.call(name, ctypes.byref(result), *arguments)
        return result.value

    def attribute(self, number):
        return self._ask("cuDeviceGetAttribute", _c, number, self.device)

    def free_bytes(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size):
        return self._ask("cuMemAlloc_v2", _u64, max(size, 256))

    def free(self, address):
        self.call("cuMemFree_v2", address)

    def fill_bytes(self, address, value, size):
        self.call("cuMemsetD8Async", address, value, size, self.stream)

    def read(self, address, size):
        self.synchronize()
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, address, size)
        return data.raw

    def load(self, cubin, symbol, shared_bytes=0):
        """(module, function) of machine code."""
        module = self._ask("cuModuleLoadData", _p, cubin)
        function = self._ask("cuModuleGetFunction", _p, module, symbol.encode())
        if shared_bytes:
            self.call("cuFuncSetAttribute", function, DYNAMIC_SHARED, shared_bytes)
        return module, function

    def address_of(self, module, symbol):
        address, size = _u64(), ctypes.c_size_t()
        self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, symbol.encode())
        return address.value

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)

    def config(self, blocks, threads, shared_bytes=0, cluster=1, overlaps=False):
        attributes = (Attribute * 2)()
        attributes[0].id, attributes[0].value[0] = OVERLAPS, int(overlaps)
        attributes[1].id = CLUSTER
        attributes[1].value[:3] = cluster, 1, 1
        return Config((blocks, 1, 1), (threads, 1, 1), shared_bytes, self.stream, attributes, 2 if cluster > 1 else 1)

    def close_gate(self):
        """What is launched now waits for open_gate: gaps between launches on the host show in no time."""
        self._gate_word.value = 0
        self.call("cuStreamWaitValue32_v2", self.stream, self._gate_at, 1, 0)

    def open_gate(self):
        self._gate_word.value = 1

    def record(self, number):
        self.call("cuEventRecord", self.events[number], self.stream)

    def elapsed_ms(self):
        self.synchronize()
        ms = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(ms), *self.events)
        return ms.value
