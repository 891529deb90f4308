"""cublaslt.py - The best of cuBLASLt's heuristics, as a peer.

torch takes the first algorithm that cuBLASLt proposes for a matmul; another of its proposals is up to 18 % faster. Here
all of them can be called, so that a bench can time each and keep the best. The library is the one that torch has loaded.

cuBLASLt's matrices have columns first, so C = A B of matrices with rows first is asked for as its transpose.
https://docs.nvidia.com/cuda/cublas/#using-the-cublaslt-api
"""

import ctypes
import functools
import sys

import torch

COUNT, WORKSPACE_BYTES = 8, 32 << 20
TYPES = {torch.bfloat16: 14, torch.float16: 2, torch.float32: 0, torch.float8_e4m3fn: 28}  # cudaDataType
COMPUTE_32F, COMPUTE_32F_FAST_TF32 = 68, 77
TRANS_A, TRANS_B, SCALE_A, SCALE_B, FAST_ACCUM = 3, 4, 17, 18, 25  # cublasLtMatmulDescAttributes_t
MAX_WORKSPACE = 1  # cublasLtMatmulPreferenceAttributes_t


class Heuristic(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t."""

    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def check(status, what):
    if status:
        sys.exit(f"cuBLASLt: {what} failed with status {status}")


class Library:
    """The handle and the workspace that all matmuls share."""

    def __init__(self):
        self.lt = ctypes.CDLL("libcublasLt.so.13")
        self.handle = ctypes.c_void_p()
        check(self.lt.cublasLtCreate(ctypes.byref(self.handle)), "cublasLtCreate")
        self.workspace = torch.empty(WORKSPACE_BYTES, device="cuda", dtype=torch.uint8)
        self.one = torch.ones((), device="cuda")
        self.lt.cublasLtMatmul.argtypes = [ctypes.c_void_p] * 14 + [ctypes.c_size_t, ctypes.c_void_p]

    def layout(self, tensor):
        """A matrix with rows first, as its transpose with columns first."""
        layout = ctypes.c_void_p()
        rows, cols = tensor.shape
        check(self.lt.cublasLtMatrixLayoutCreate(ctypes.byref(layout), TYPES[tensor.dtype], ctypes.c_uint64(cols),
                                                 ctypes.c_uint64(rows), ctypes.c_int64(tensor.stride(0))), "a layout")
        return layout


@functools.cache
def library():
    return Library()


class Matmul:
    """C = op(A) op(B) of matrices with rows first; `at` and `bt` say that A and B are given transposed."""

    def __init__(self, library, at, bt, a, b, c):
        self.library = library
        lt = library.lt
        compute = COMPUTE_32F_FAST_TF32 if a.dtype == torch.float32 else COMPUTE_32F
        self.description = ctypes.c_void_p()
        check(lt.cublasLtMatmulDescCreate(ctypes.byref(self.description), compute, TYPES[torch.float32]), "a matmul")
        self.set(TRANS_A, ctypes.c_int32(bt))  # its first operand is our second one
        self.set(TRANS_B, ctypes.c_int32(at))
        if a.dtype == torch.float8_e4m3fn:
            self.set(SCALE_A, ctypes.c_void_p(library.one.data_ptr()))
            self.set(SCALE_B, ctypes.c_void_p(library.one.data_ptr()))
            self.set(FAST_ACCUM, ctypes.c_int8(1))
        self.layouts = [library.layout(tensor) for tensor in (b, a, c)]
        self.alpha, self.beta = ctypes.c_float(1.0), ctypes.c_float(0.0)
        self.heuristics = self.ask()

    def set(self, attribute, value):
        check(self.library.lt.cublasLtMatmulDescSetAttribute(self.description, attribute, ctypes.byref(value),
                                                             ctypes.c_size_t(ctypes.sizeof(value))), "an attribute")

    def ask(self):
        """What cuBLASLt proposes, best guess first."""
        lt, preference = self.library.lt, ctypes.c_void_p()
        check(lt.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)), "a preference")
        limit = ctypes.c_uint64(WORKSPACE_BYTES)
        check(lt.cublasLtMatmulPreferenceSetAttribute(preference, MAX_WORKSPACE, ctypes.byref(limit),
                                                      ctypes.c_size_t(8)), "the workspace's limit")
        found, count = (Heuristic * COUNT)(), ctypes.c_int()
        first, second, third = self.layouts
        check(lt.cublasLtMatmulAlgoGetHeuristic(self.library.handle, self.description, first, second, third, third,
                                                preference, COUNT, found, ctypes.byref(count)), "the heuristics")
        return [each for each in found[: count.value] if each.state == 0]

    def prepare(self, number, a, b, c):
        """A call of the proposal with this number, without arguments."""
        library, heuristic = self.library, self.heuristics[number]
        address = lambda value: ctypes.cast(ctypes.byref(value), ctypes.c_void_p)
        first, second, third = self.layouts
        arguments = (library.handle, self.description, address(self.alpha), b.data_ptr(), first, a.data_ptr(), second,
                     address(self.beta), c.data_ptr(), third, c.data_ptr(), third, address(heuristic.algorithm),
                     library.workspace.data_ptr(), WORKSPACE_BYTES, torch.cuda.current_stream().cuda_stream)

        def call(arguments=arguments, kept=(self, a, b, c)):
            status = library.lt.cublasLtMatmul(*arguments)
            if status:
                raise RuntimeError(f"cuBLASLt: status {status}")

        return call
