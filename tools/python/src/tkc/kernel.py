"""kernel.py - A function of a compiled source, callable."""
import os

from . import arrays, locate, plan as plans
from .errors import LaunchError

native = locate.native_module()
native.set_hook("allocation", arrays.allocation)
native.set_hook("new_type", arrays.refusal)
native.set_hook("launch_error", LaunchError)
os.register_at_fork(after_in_child=native.set_forked)


class Kernel(native.Function):
    """A kernel, or a choice among kernels. Call it with tensors and numbers:

        c = gemm(a, b)            the output is made
        gemm(a, b, out=c)         or gemm(a, b, c), or C=c by name
        gemm(a, b, stream=s)      in another stream than the current one
    """

    def __new__(cls, library, function):
        return super().__new__(cls, *plans.native_arguments(library.plan, function, native))

    def __init__(self, library, function):
        self.library = library
        self.plan = function
        self.__name__ = function["name"]

    def _load_gpu(self):
        self.library._load_driver()
        for number, code in enumerate(self.library._code_of(self.plan)):
            self.set_cubin(number, code)

    def _load_cpu(self):
        self.set_cpu(self.library._cpu_address(self.plan))

    @property
    def cuda(self):
        """The emitted CUDA of the source."""
        return self.library.cuda

    @property
    def report(self):
        """What the compiler decided, and why."""
        return self.library.report

    @property
    def registers(self):
        """(registers of a thread, bytes of local memory) of each kernel that it may launch."""
        return self.library._registers_of(self.plan)

    def __repr__(self):
        return plans.signature(self.plan)

    def __reduce__(self):
        return _unpickle, (self.library, self.plan["name"])


def _unpickle(library, name):
    return getattr(library, name)
