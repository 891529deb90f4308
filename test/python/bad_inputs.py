#!/usr/bin/env python3
"""bad_inputs.py - What a caller can do wrong: nothing is launched, the process lives, and the message says what to do.

Usage: bad_inputs.py [-v] [CASE ...]
On the CPU with numpy through the emulator; what takes a GPU, on a driver that records.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import EXAMPLES, load_recorder
import tkc
from tkc import arrays

recorder = load_recorder()
GEMM = os.path.join(EXAMPLES, "gemm.tk")
SCALED = """
kernel scale(gl<float> X, gl<float> Y, float factor, int steps) {
  for (auto [m, n] : grid(cdiv(X.rows(), 64), cdiv(X.cols(), 64))) {
    rt<float, 64, 64> x = load(X, {m, n});
    for (int i = 0; i < steps; ++i)
      x = x * factor;
    store(Y, {m, n}, x);
  }
}
"""


def bits(rows, cols, value=1.0):
    return tkc.bf16(np.full((rows, cols), value, np.float32))


class OnTheCpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gemm = tkc.compile(GEMM, cpu="emulator").gemm
        cls.scale = tkc.compile(source=SCALED, cpu="emulator").scale

    def setUp(self):
        self.a, self.b, self.c = bits(32, 64), bits(64, 48), bits(32, 48, 7.0)
        self.x = arrays.empty((8, 8), np.float32)
        self.x[...] = 3

    def refused(self, error, words, *given, kernel=None, **named):
        with self.assertRaises(error) as caught:
            (kernel or self.gemm)(*given, **named)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertTrue((np.asarray(self.c) == 7).all(), "the output was written")

    def test_it_works_unspoiled(self):
        self.assertIs(self.gemm(self.a, self.b, out=self.c), self.c)
        self.assertTrue((np.asarray(self.c) == 64).all())
        self.assertTrue((np.asarray(self.gemm(self.a, self.b)) == 64).all())
        self.assertTrue((np.asarray(self.gemm(self.a, self.b, C=bits(32, 48))) == 64).all())
        self.assertTrue((np.asarray(self.gemm(B=self.b, A=self.a)) == 64).all())
        self.assertTrue((self.scale(self.x, 2.0, 3) == 24).all())

    def test_wrong_dtype(self):
        self.refused(tkc.LaunchError, ["tensor A has type f32", "should be bf16", "convert it"], self.x, self.b, self.c)
        self.refused(TypeError, ["tensor A has type float64", "should be bf16", "convert it"], np.ones((32, 64)), self.b, self.c)

    def test_wrong_rank(self):
        self.refused(tkc.LaunchError, ["tensor A has rank 1", "rank 2"], self.a[0], self.b, self.c)
        self.refused(TypeError, ["tensor A has rank 5"], np.ones((1,) * 5, np.float32), self.b, self.c)

    def test_layout(self):
        wide = bits(32, 65).bits
        self.refused(tkc.LaunchError, ["last dimension", "should be 1", "tkc.aligned"], tkc.Bits(wide.T, "bf16"), self.b, self.c)
        odd = np.lib.stride_tricks.as_strided(bits(40, 80).bits, (32, 64), (130, 2))
        self.refused(tkc.LaunchError, ["stride 65", "130 bytes", "multiple of 16", "tkc.aligned"], tkc.Bits(odd, "bf16"), self.b, self.c)
        off = bits(32, 72).bits[:, 1:65]
        self.refused(tkc.LaunchError, ["multiple of 16", "tkc.aligned"], tkc.Bits(off, "bf16"), self.b, self.c)
        fixed = tkc.aligned(tkc.Bits(off, "bf16"))
        self.assertTrue((np.asarray(self.gemm(fixed, self.b)) == 64).all())
        self.assertIs(tkc.aligned(self.x), self.x)

    def test_regrouping(self):
        """What the package's norms call takes rows as matrices; a call, and an operator, do not."""
        lib = tkc.compile(source="""
            kernel twice(gl<float, -1, 64, 32> X, gl<float, -1, 64, 32> Y) {
              for (int m : grid(X.depth())) { rt<float, 64, 32> x = load(X, {m, 0, 0}); store(Y, {m, 0, 0}, x * 2); }
            }""", cpu="emulator").twice
        x, y = (np.arange(3 * 2048, dtype=np.float32).reshape(3, 2048) * scale for scale in (1, 0))
        self.refused(tkc.LaunchError, ["tensor X has rank 2", "rank 3"], x, y, kernel=lib)
        self.refused(tkc.LaunchError, ["tensor X has rank 2", "rank 3"], x, y, kernel=lib.below_autograd)
        self.refused(tkc.LaunchError, ["dimension 1 of X is 32"], x.reshape(3, 32, 64), y.reshape(3, 32, 64), kernel=lib.below_autograd)
        lib.regrouping(x, y)
        self.assertTrue((y == 2 * x).all())
        for wrong in (x[:, :1000].copy(), x[:, ::2], x.T):  # not whole matrices, not in a row
            self.refused(tkc.LaunchError, ["X"], wrong, y, kernel=lib.regrouping)

    def test_clear(self):
        self.scale.clear(self.x)
        self.assertTrue((self.x == 0).all())
        self.x[...] = 3
        for wrong in (self.x[:, ::2], self.x[:, :4], np.ones(5, np.int8)):
            with self.assertRaisesRegex(TypeError, "lie in a row and are whole words"):
                self.scale.clear(wrong)
        with self.assertRaisesRegex(TypeError, "a list"):
            self.scale.clear([1.0])
        self.assertTrue((self.x == 3).all())

    def test_equal_extents(self):
        self.refused(tkc.LaunchError, ["dimension 1 of A is 64", "dimension 0 of B", "80"], self.a, bits(80, 48), self.c)

    def test_overlapping_output(self):
        row = np.lib.stride_tricks.as_strided(self.c.bits, (32, 48), (0, 2))
        self.refused(tkc.LaunchError, ["tensor C is written", "overlap"], self.a, self.b, tkc.Bits(row, "bf16"))

    def test_no_tensors(self):
        self.refused(TypeError, ["A is None", "pass a tensor"], None, self.b, self.c)
        self.refused(TypeError, ["A is a list", "pass a tensor"], [[1.0]], self.b, self.c)
        self.refused(TypeError, ["A is a str"], "a", self.b, self.c)

    def test_fake_tensors(self):
        class FakeTensor:
            pass

        self.refused(TypeError, ["A is a FakeTensor", "torch.ops"], FakeTensor(), self.b, self.c)

    def test_memory_that_is_not_lent(self):
        class Meta:
            def __dlpack_device__(self):
                raise BufferError("a meta tensor has no memory")

            def __dlpack__(self, stream=None):
                return None

        self.refused(TypeError, ["A is a Meta that lends no memory", "meta tensor has no memory"], Meta(), self.b, self.c)

    def test_requires_grad(self):
        class Parameter:
            requires_grad = True

            def __dlpack__(self, stream=None):
                raise AssertionError

        self.refused(TypeError, ["A requires grad", "A.detach()", "autograd.Function"], Parameter(), self.b, self.c)

    def test_dlpack_method(self):
        x = self.x.copy()

        class Lent:
            def __dlpack_device__(self):
                return x.__dlpack_device__()

            def __dlpack__(self, stream=None):
                return x.__dlpack__()

        self.assertTrue((self.scale(Lent(), 2.0, 1, out=self.x) == 6).all())

    def test_numbers(self):
        self.assertTrue((self.scale(self.x, 2, 1) == 6).all(), "an int for a float")
        self.assertTrue((self.scale(self.x, np.float32(2), np.int64(1)) == 6).all())
        for words, error, factor, steps in (
            (["steps should be an int", "not rounded"], TypeError, 2.0, 1.0),
            (["steps", "32 bits"], OverflowError, 2.0, 1 << 40),
            (["factor", "too large"], OverflowError, 10**400, 1),
            (["factor", "too large"], OverflowError, 1e300, 1),
            (["factor should be a number"], TypeError, "2", 1),
            (["factor is None"], TypeError, None, 1),
        ):
            self.refused(error, words, self.x, factor, steps, kernel=self.scale)

    def test_names(self):
        self.refused(TypeError, ["argument A is missing", "print(gemm)"], B=self.b)
        self.refused(TypeError, ["argument B is missing"], self.a)
        self.refused(TypeError, ["no argument 'D'", "print(gemm)"], self.a, self.b, D=self.c)
        self.refused(TypeError, ["4 arguments", "there are 3"], self.a, self.b, self.c, self.c)
        self.refused(TypeError, ["A is given by name and by place"], self.a, self.b, A=self.a)
        self.refused(TypeError, ["out= takes the 1"], self.a, self.b, out=(self.c, self.c))
        self.refused(TypeError, ["C is given twice"], self.a, self.b, C=self.c, out=self.c)

    def test_output_that_cannot_be_inferred(self):
        lib = tkc.compile(source="""
            kernel zeros(gl<float> Y) {
              for (auto [m, n] : grid(cdiv(Y.rows(), 64), cdiv(Y.cols(), 64))) { rt<float, 64, 64> y = 0; store(Y, {m, n}, y); }
            }""", cpu="emulator")
        self.refused(TypeError, ["argument Y is missing"], kernel=lib.zeros)
        y = arrays.empty((5, 7), np.float32)
        self.assertIsNone(lib.zeros(y))
        self.assertTrue((y == 0).all())

    def test_empty(self):
        self.assertEqual(np.asarray(self.gemm(bits(0, 64), self.b)).shape, (0, 48))
        self.refused(tkc.LaunchError, ["no elements but the output has"], bits(32, 0), bits(0, 48), self.c)

    def test_source_that_does_not_compile(self):
        with self.assertRaises(tkc.CompileError) as caught:
            tkc.compile(source="kernel f(gl<bf16> A) {\n  auto x = laod(A, {0, 0});\n}\n", cpu="emulator")
        error = caught.exception
        self.assertEqual([(d.line, d.column, d.severity) for d in error.diagnostics], [(2, 12, "error")])
        self.assertIn("laod", error.diagnostics[0].message)
        self.assertIn("    2 |   auto x = laod(A, {0, 0});\n      |            ^", str(error))
        with self.assertRaisesRegex(tkc.CompileError, "cannot read '/nowhere/gemm.tk'"):
            tkc.compile("/nowhere/gemm.tk")
        with self.assertRaisesRegex(TypeError, "a path or source="):
            tkc.compile()
        with self.assertRaisesRegex(ValueError, "cpu is 'gpu'"):
            tkc.compile(GEMM, cpu="gpu")

    def test_unknown_names(self):
        lib = tkc.compile(GEMM, cpu="emulator")
        with self.assertRaisesRegex(AttributeError, "has no kernel 'gem'; it has gemm"):
            lib.gem
        with self.assertRaisesRegex(tkc.CompileError, "no kernel template 'gem'"):
            lib.instance("gem", BM=64)
        with self.assertRaisesRegex(tkc.CompileError, "no template parameter 'D'; it has BM, BN, BK"):
            lib.instance("gemm", D=64)
        with self.assertRaisesRegex(tkc.CompileError, "positive multiples of 16"):
            lib.instance("gemm", BM=7)
        with self.assertRaisesRegex(tkc.CompileError, "foo"):
            tkc.compile(GEMM, instantiate="foo<1>", cpu="emulator")
        small = lib.instance("gemm", BM=64, BN=128)
        self.assertEqual(small.plan["parameters_of_template"], "BM = 64, BN = 128, BK = 64")
        self.assertIs(lib.instance("gemm", BM=128), lib.gemm)


class OnAGpu(unittest.TestCase):
    """On a driver that records; tensors are descriptions."""

    @classmethod
    def setUpClass(cls):
        cls.functions = recorder.driver()

    def setUp(self):
        tkc.native.set_driver(self.functions)
        self.gemm = tkc.Library(tkc.compiler.Source(GEMM)).gemm
        self.gemm.set_cubin(0, b"none")
        self.launched = recorder.launch()[:8]
        self.read = recorder.read_by_torch()

    def tearDown(self):
        tkc.native.set_driver(self.functions)

    @staticmethod
    def tensors(*devices):
        shapes = ((32, 64), (64, 48), (32, 48))
        return [recorder.Tensor(1 << 20, device, 4, 16, shape, (shape[1], 1)) for shape, device in zip(shapes, devices)]

    def refused(self, error, words, *given, **named):
        with self.assertRaises(error) as caught:
            self.gemm(*given, **named)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertEqual(recorder.launch()[:8], self.launched, "it was launched")

    def replaced(self, name, function):
        self.kept = function  # ctypes' must live
        tkc.native.set_driver({**self.functions, name: ctypes.cast(function, ctypes.c_void_p).value})

    def test_it_works_unspoiled(self):
        self.gemm(*self.tensors(0, 0, 0))
        self.assertNotEqual(recorder.launch()[:8], self.launched)

    def test_cpu_tensors(self):
        self.refused(TypeError, ["on the CPU", 'cpu="emulator"'], *self.tensors(-1, -1, -1))
        self.refused(TypeError, ["on the CPU", 'cpu="emulator"'], bits(32, 64), bits(64, 48))
        self.refused(TypeError, ["B is on the CPU when A is on device 0", "move one"], *self.tensors(0, -1, 0))

    def test_tensors_of_torch(self):
        tkc.native.set_torch(*recorder.torch())
        tkc.native.set_hook("torch_types", (recorder.TorchTensor,))

        def tensor(shape, address=1 << 20, device=0, bits=16):
            return recorder.TorchTensor(address, device, 4, bits, shape, (*shape[1:], 1))

        a, b, c = tensor((32, 64)), tensor((64, 48)), tensor((32, 48))
        self.gemm(a, b, c)
        self.assertEqual(recorder.read_by_torch(), self.read + 3)
        self.launched = recorder.launch()[:8]
        b.requires_grad = True
        self.refused(TypeError, ["B requires grad", "B.detach()"], a, b, c)
        b.requires_grad = False
        # What torch's functions do not answer, the exchange table does, or refuses.
        self.refused(TypeError, ["B is on the CPU when A is on device 0"], a, tensor((64, 48), device=-1), c)
        self.refused(TypeError, ["tensor B has type"], a, tensor((64, 48), bits=64), c)
        self.refused(TypeError, ["tensor B has rank 5"], a, tensor((1, 1, 1, 64, 48)), c)
        self.refused(tkc.LaunchError, ["dimension 1 of A is 64"], a, tensor((32, 48)), c)
        self.read = recorder.read_by_torch()
        self.gemm(a, tensor((64, 48), address=16), c)
        self.assertEqual(recorder.read_by_torch(), self.read + 2)

        with self.assertRaisesRegex(LookupError, "this torch has no aoti_torch_get_dim"):
            functions, *numbers = recorder.torch()
            tkc.native.set_torch({name: value for name, value in functions.items() if name != "aoti_torch_get_dim"}, *numbers)

    def test_two_devices(self):
        self.refused(TypeError, ["C is on device 1 when A is on device 0", "move one"], *self.tensors(0, 0, 1))

    def test_stream(self):
        self.refused(TypeError, ["stream should be"], *self.tensors(0, 0, 0), stream="s")

    def test_device_that_is_no_hopper(self):
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.c_int, ctypes.c_int)

        def ampere(value, attribute, device):
            value[0] = {75: 8, 16: 108, 97: 160000}.get(attribute, 0)
            return 0

        number = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_ulonglong))

        def fresh(context, value):
            value[0] = 77
            return 0

        self.replaced("cuDeviceGetAttribute", kind(ampere))
        attribute, self.number = self.kept, number(fresh)
        tkc.native.set_driver({**self.functions, "cuDeviceGetAttribute": ctypes.cast(attribute, ctypes.c_void_p).value,
                               "cuCtxGetId": ctypes.cast(self.number, ctypes.c_void_p).value})
        self.refused(tkc.LaunchError, ["compute capability 8.0", "built for 9.0"], *self.tensors(0, 0, 0))

    def test_launches_during_a_launch(self):
        """What the driver reads stays as it is while other threads launch: here, from within the driver."""
        attention = tkc.Library(tkc.compiler.Source(os.path.join(EXAMPLES, "attention.tk"))).attention_causal
        attention.set_cubin(0, b"none")
        counter = [parameter["kind"] for parameter in attention.plan["parameters"]].index("tile_counter")

        def heads(address):
            return recorder.Tensor(address, 0, 4, 16, (1, 1, 256, 128), (32768, 32768, 128, 1))

        q, l = heads(1 << 20), recorder.Tensor(1 << 20, 0, 2, 32, (1, 1, 256), (256, 256, 1))
        # Other tensors come in the place of those that are remembered; another stream has another tile counter.
        cases = ((self.gemm, self.tensors(0, 0, 0), 0, 128,
                  lambda: [self.gemm(recorder.Tensor(address << 20, 0, 4, 16, (32, 64), (64, 1)), *self.tensors(0, 0, 0)[1:])
                           for address in range(2, 20)]),
                 (attention, (q, q, q, q, l, 0.1), counter, 8, lambda: attention(q, q, q, q, l, 0.1, stream=1 << 8)))
        for kernel, given, number, size, meanwhile in cases:
            seen = []

            def launch(config, function, parameters, extra):
                if not seen:
                    seen.append(ctypes.string_at(parameters[number], size))
                    meanwhile()
                    seen.append(ctypes.string_at(parameters[number], size))
                return 0

            kernel(*given)
            kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
            self.replaced("cuLaunchKernelEx", kind(launch))
            kernel(*given)
            self.assertEqual(seen[0], seen[1], kernel.__name__)
            tkc.native.set_driver(self.functions)

    def test_driver_that_is_too_old(self):
        with self.assertRaisesRegex(LookupError, "no cuLaunchKernelEx; install one for CUDA 12.0"):
            tkc.native.set_driver({name: value for name, value in self.functions.items() if name != "cuLaunchKernelEx"})
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        self.replaced("cuModuleLoadData", kind(lambda module, image: 209))
        self.refused(tkc.LaunchError, ["cannot load the kernel", "older than the NVRTC"], *self.tensors(0, 0, 0))

    def test_refused_launch(self):
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
        self.replaced("cuLaunchKernelEx", kind(lambda *given: 1))
        self.refused(tkc.LaunchError, ["the driver refused the launch"], *self.tensors(0, 0, 0))

    def test_malformed_plans(self):
        function = self.gemm.plan
        good = tkc.plan.native_arguments(self.gemm.library.plan, function, tkc.native)
        for number, broken in ((5, (132, ((9, 0),), ())), (5, (132, ((0, 0),), ((64, 5),))), (1, (("A", True, 99, 2, False, ((-1, ()), (-1, ()))),)), (2, ((0, 9, 0, 0, 0, 0),)), (3, ()),
                               (3, (good[3][0][:4] + ((((1, 999, 0.0),),),) + good[3][0][5:],))):
            with self.assertRaisesRegex(ValueError, "plan is malformed"):
                tkc.native.Function(*good[:number], broken, *good[number + 1 :])


class Processes(unittest.TestCase):
    """What takes a process of its own."""

    def run_python(self, text, status=0, **environment):
        done = subprocess.run([sys.executable, "-c", "import sys; sys.path.insert(0, %r)\nimport harness, tkc, os\n" % os.path.dirname(
            os.path.abspath(__file__)) + textwrap.dedent(text)], capture_output=True, text=True, timeout=300,
            env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def test_no_nvrtc(self):
        said = self.run_python(f"""
            try:
                tkc.compile({GEMM!r})
            except tkc.CompileError as error:
                print(error)
            """, TKC_NVRTC="/nowhere/libnvrtc.so")
        self.assertIn("pip install nvidia-cuda-nvrtc", said)

    def test_old_nvrtc(self):
        with tempfile.TemporaryDirectory() as folder:
            old = os.path.join(folder, "libnvrtc.so")
            subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", old], check=True, text=True,
                           input='extern "C" int nvrtcVersion(int *a, int *b) { *a = 11; *b = 8; return 0; }')
            said = self.run_python(f"""
                try:
                    tkc.compile({GEMM!r})
                except tkc.CompileError as error:
                    print(error)
                """, TKC_NVRTC=old)
        self.assertIn("NVRTC is of CUDA 11.8 when kernels need 12.3", said)

    def test_cache_that_cannot_be_written(self):
        said = self.run_python(f"""
            import numpy as np
            lib = tkc.compile({GEMM!r}, cpu="reference")
            one = tkc.bf16(np.ones((16, 16), np.float32))
            print(np.asarray(lib.gemm(one, one)).max())
            """, TKC_CACHE_DIR="/dev/null/cache")
        self.assertIn("16.0", said)
        self.assertEqual(said.count("cannot be written"), 1)

    def test_cache_that_is_damaged_or_deleted(self):
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_python(f"""
                import glob, shutil, numpy as np
                one = tkc.bf16(np.ones((16, 16), np.float32))
                def check():
                    lib = tkc.compile({GEMM!r}, cpu="reference")
                    assert np.asarray(lib.gemm(one, one)).max() == 16
                    return lib
                check()
                for name in glob.glob({folder!r} + "/v1/*/*"):
                    with open(name, "r+b") as file:
                        file.truncate(10)
                check()
                lib = check()
                shutil.rmtree({folder!r} + "/v1")
                assert np.asarray(lib.gemm(one, one)).max() == 16
                check()
                print("all right")
                """, TKC_CACHE_DIR=folder)
            self.assertIn("all right", said)
            self.assertEqual([name for name in os.listdir(os.path.join(folder, "v1")) if name.startswith(("new", "old"))], [])

    def test_included_files_are_watched(self):
        with tempfile.TemporaryDirectory() as folder:
            for size in (64, 128):
                with open(os.path.join(folder, "size.h"), "w") as file:
                    file.write(f"constexpr int size = {size};\n")
                with open(os.path.join(folder, "copy.tk"), "w") as file:
                    file.write('#include "size.h"\nkernel copy(gl<float> X, gl<float> Y) { for (auto [m] : grid(cdiv(X.rows(), size))) {'
                               " rt<float, size, 64> x = load(X, {m, 0}); store(Y, {m, 0}, x); } }\n")
                plan = tkc.compile(os.path.join(folder, "copy.tk"), cpu="reference").copy.plan
                self.assertEqual(plan["launch"]["tiles"][0]["text"], f"ceil_div(X_rows, {size})")

    def test_two_processes_and_eight_threads(self):
        text = f"""
            import threading, numpy as np
            one = tkc.bf16(np.ones((16, 16), np.float32))
            failures = []
            def work():
                try:
                    lib = tkc.compile({GEMM!r}, cpu="reference", define={{"N": 1}})
                    assert np.asarray(lib.gemm(one, one)).max() == 16
                except BaseException as error:
                    failures.append(error)
            threads = [threading.Thread(target=work) for _ in range(8)]
            [thread.start() for thread in threads], [thread.join() for thread in threads]
            assert not failures, failures
            print("all right")
            """
        with tempfile.TemporaryDirectory() as folder:
            said = []
            processes = [threading.Thread(target=lambda: said.append(self.run_python(text, TKC_CACHE_DIR=folder))) for _ in range(2)]
            [process.start() for process in processes], [process.join() for process in processes]
        self.assertEqual([text.strip() for text in said], ["all right"] * 2)

    def test_eight_threads_in_one_kernel(self):
        """Each with tensors of its own; a thread that waits lets the others in."""
        gemm = tkc.compile(GEMM, cpu="emulator").gemm
        gemm(bits(16, 16), bits(16, 16))
        wrong = []

        def work(number):
            a, b = bits(32, 64, number), bits(64, 48)
            for _ in range(3):
                if not (np.asarray(gemm(a, b)) == 64 * number).all():
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        self.assertEqual(wrong, [])

    def test_cpu_of_a_whole_suite(self):
        text = f"""
            import numpy as np
            one = tkc.bf16(np.ones((16, 16), np.float32))
            try:
                print(np.asarray(tkc.compile({GEMM!r}).gemm(one, one)).max())
            except ValueError as error:
                print(error)
            """
        for backend in ("emulator", "reference"):
            self.assertIn("16.0", self.run_python(text, TKC_CPU=backend))
        self.assertIn("cpu is 'gpu' when it should be", self.run_python(text, TKC_CPU="gpu"))

    def test_cache_on_a_full_disk(self):
        """That of the cache alone: the temporary folder takes its place."""
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_python(f"""
                import numpy as np, tkc.cache
                kept = tkc.cache._publish
                def full(place, *rest):
                    if place.startswith({folder!r}):
                        raise OSError(28, "No space left on device")
                    return kept(place, *rest)
                tkc.cache._publish = full
                one = tkc.bf16(np.ones((16, 16), np.float32))
                print(np.asarray(tkc.compile({GEMM!r}, cpu="reference").gemm(one, one)).max())
                """, TKC_CACHE_DIR=folder)
        self.assertIn("16.0", said)
        self.assertEqual(said.count("No space left on device"), 1)

    def test_fork_after_use(self):
        said = self.run_python(f"""
            recorder = harness.load_recorder()
            tkc.native.set_driver(recorder.driver())
            gemm = tkc.Library(tkc.compiler.Source({GEMM!r})).gemm
            gemm.set_cubin(0, b"none")
            given = [recorder.Tensor(1 << 20, 0, 4, 16, (64, 64), (64, 1)) for _ in range(3)]
            gemm(*given)
            if os.fork() == 0:
                try:
                    gemm(*given)
                except RuntimeError as error:
                    print(error, flush=True)
                os._exit(0)
            os.wait()
            """)
        self.assertIn("forked", said)
        self.assertIn("spawn", said)

    def test_exit_with_work_in_flight(self):
        self.run_python(f"""
            import threading, time, numpy as np
            lib = tkc.compile({GEMM!r}, cpu="emulator")
            big = tkc.bf16(np.ones((512, 512), np.float32))
            lib.gemm(tkc.bf16(np.ones((16, 16), np.float32)), tkc.bf16(np.ones((16, 16), np.float32)))
            threading.Thread(target=lambda: lib.gemm(big, big), daemon=True).start()
            time.sleep(0.05)
            """)

    def test_pickle(self):
        import pickle

        gemm = tkc.compile(GEMM, cpu="reference").gemm
        again = pickle.loads(pickle.dumps(gemm))
        self.assertEqual(repr(again), repr(gemm))
        one = tkc.bf16(np.ones((16, 16), np.float32))
        self.assertEqual(np.asarray(again(one, one)).max(), 16)

    def test_bundles_that_are_damaged(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.tkb")
            for data in (b"", b"PK", os.urandom(1000)):
                with open(path, "wb") as file:
                    file.write(data)
                with self.assertRaisesRegex(tkc.CompileError, "is no bundle of tkc"):
                    tkc.load(path)

    def test_command_line(self):
        said = self.run_python("import tkc.__main__ as m; sys.exit(m.main(['cache', 'nonsense']))", 2)
        self.assertIn("cache list", said)
        with tempfile.TemporaryDirectory() as folder:
            said = self.run_python(f"""
                import tkc.__main__ as m
                tkc.compile({GEMM!r}, cpu="reference")
                m.main(["cache", "path"]), m.main(["cache", "list"]), m.main(["cache", "clear"]), m.main(["cache", "list"])
                """, TKC_CACHE_DIR=folder)
        self.assertIn(folder, said)
        self.assertIn("plan of gemm.tk", said)
        self.assertIn("removed 1 entries", said)
        self.assertIn("tkc 0", self.run_python("import tkc.__main__ as m; m.main(['--version'])"))


if __name__ == "__main__":
    warnings.simplefilter("ignore", tkc.PerformanceWarning)
    unittest.main()
