"""device.py - Memory and time on the GPU, through the driver alone.

libcuda is wherever a GPU is, torch is not. The kernels use the CUDA runtime, which works in the
device's primary context: this does too.
"""
import ctypes
import functools

from tkc import driver


class Device:
    def __init__(self):
        self.driver = driver.load()
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        error = getattr(self.driver, name)(*arguments)
        if error:
            raise RuntimeError(f"{name} failed with {error}: {driver.describe(self.driver, error)}")

    def upload(self, array):
        """The address of a copy of a contiguous numpy array."""
        address = ctypes.c_uint64()
        size = ctypes.c_size_t(array.nbytes)
        self.call("cuMemAlloc_v2", ctypes.byref(address), size)
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), size)
        return address

    def download(self, address, array):
        size = ctypes.c_size_t(array.nbytes)
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), address, size)

    def free(self, address):
        self.call("cuMemFree_v2", address)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def milliseconds(self, work):
        """The device time of work(), which launches on the default stream."""
        first, last = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (first, last):
            self.call("cuEventCreate", ctypes.byref(event), 0)
        self.call("cuEventRecord", first, None)
        result = work()
        self.call("cuEventRecord", last, None)
        self.call("cuEventSynchronize", last)
        elapsed = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(elapsed), first, last)
        for event in (first, last):
            self.call("cuEventDestroy_v2", event)
        return elapsed.value, result


@functools.cache
def device():
    return Device()
