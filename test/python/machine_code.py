#!/usr/bin/env python3
"""machine_code.py - The processes that compile kernels: their order, their number, and what becomes of one that dies.

Usage: machine_code.py [-v] [CASE ...]
By an NVRTC of ours (Inputs/fake_nvrtc.cpp), which does what the text of a kernel asks of it.
"""
import glob
import os
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import EXAMPLES
import tkc
from tkc import locate, nvrtc

GEMM = os.path.join(EXAMPLES, "gemm.tk")
FOLDER = tempfile.TemporaryDirectory()
FAKE = os.path.join(FOLDER.name, "libnvrtc.so")


def kernels(count):
    return [{"name": f"k{number}", "number": number, "parameters": [{"kind": "tile_counter"}] if number == 1 else []}
            for number in range(count)]


def compile_kernels(count, *asked, jobs=4, text=""):
    """`asked`: what is asked of kernels, by number."""
    text += "".join(f"kernel {number}: {what}\n" for number, what in asked)
    with mock.patch.dict(os.environ, TKC_JOBS=str(jobs)):
        return nvrtc.compile_kernels(text, "some.device.cu", kernels(count), 3)


def children(of):
    """Processes that `of` has started and that still run, by /proc."""
    found = []
    for name in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(name) as file:
                number, rest = file.read().split(" (", 1)
        except OSError:
            continue
        state, parent = rest.rsplit(") ", 1)[1].split()[:2]
        if int(parent) == of and state != "Z":
            found.append(int(number))
    return found


def wait_for(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Compiling(unittest.TestCase):
    def tearDown(self):
        self.assertTrue(wait_for(lambda: not children(os.getpid())), "a process is left")

    def test_order_and_bytes(self):
        """The same, however many are compiled at once and whichever is ready first."""
        sleeps = [(number, f"sleeps {20 * (5 - number)}") for number in range(6)]
        expected = compile_kernels(6, *sleeps, jobs=1)
        for number, made in enumerate(expected):
            code = made.cubin.decode()
            self.assertTrue(code.startswith("some.device.cu\n--gpu-architecture=sm_90a\n"))
            self.assertIn(f"\n-DTKC_KERNEL={number}\n", code)
            self.assertEqual("tkc_tile_counters[8]" in code, number == 1)
            self.assertEqual(made.log, "compiled")
        for jobs in (2, 6, 50):
            self.assertEqual(compile_kernels(6, *sleeps, jobs=jobs), expected)

    def test_side_by_side(self):
        """As many as TKC_JOBS says."""
        for jobs, ms, log in ((4, 20000, "met"), (3, 300, "nobody came")):
            with tempfile.TemporaryDirectory() as folder:
                made = compile_kernels(4, *((number, f"meets 4 {ms} {folder}") for number in range(4)), jobs=jobs)
                self.assertEqual({each.log for each in made}, {log})

    def test_large_texts(self):
        """Beyond what a pipe holds, in both directions."""
        text = "// " + 300_000 * "x" + "\n"
        for made in compile_kernels(12, text=text):
            self.assertTrue(made.cubin.decode().endswith(text) or "tkc_tile_counters" in made.cubin.decode())

    def test_refused(self):
        with self.assertRaisesRegex(tkc.CompileError, "NVRTC refused some.device.cu, which is a defect.*\nsays 6$"):
            compile_kernels(3, (1, "status 6"))

    def test_out_of_memory(self):
        with self.assertRaisesRegex(tkc.CompileError, "kernel k1 has no machine code: NVRTC is out of memory; .*TKC_JOBS=1"):
            compile_kernels(3, (1, "status 1"))

    def test_kernel_that_dies(self):
        for what, said in (("dies 9", "was killed by SIGKILL"), ("dies 11", "was killed by SIGSEGV"), ("ends 3", "ended with status 3"),
                           ("ends 0", "ended with status 0")):
            with self.assertRaisesRegex(tkc.CompileError, f"kernel k2 has no machine code: the process that compiles it {said}; .*TKC_JOBS=1"):
                compile_kernels(5, (2, what), (4, "dies 6"), (0, "sleeps 100"))
        self.assertEqual(len(compile_kernels(5)), 5)

    def test_prints(self):
        self.assertEqual([made.log for made in compile_kernels(3, (0, "prints"), (2, "prints"))], ["compiled"] * 3)

    def test_program_that_dies(self):
        """All of it is killed while it compiles: its children end, and the caller hears of it."""
        seen = []

        def kill():
            wait_for(lambda: any(map(children, children(os.getpid()))))
            for program in children(os.getpid()):
                seen.extend(children(program))
                os.kill(program, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        with self.assertRaisesRegex(tkc.CompileError, "the program that makes machine code was killed by SIGKILL; .*TKC_JOBS=1"):
            compile_kernels(2, (0, "sleeps 20000"), (1, "sleeps 20000"))
        killer.join()
        self.assertEqual(len(seen), 2)
        self.assertTrue(wait_for(lambda: not any(os.path.exists(f"/proc/{process}") for process in seen)), "a compilation is left")

    def test_no_more_processes(self):
        """Where the system starts none."""
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(f"""
            import os, resource, sys
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            import machine_code, tkc
            from tkc import nvrtc
            with nvrtc.process() as started:
                started.version()
                resource.prlimit(started._process.pid, resource.RLIMIT_NOFILE, (5, 5))
                try:
                    nvrtc.compile_kernels("", "some.device.cu", machine_code.kernels(2), 3, started)
                except tkc.CompileError as error:
                    print(error)
            """)], env={**os.environ, "TKC_NVRTC": FAKE}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kernel k0 has no machine code: there is no process to compile it: Too many open files; ", done.stdout)

    def test_caller_that_dies(self):
        """Then the program and what it forked end."""
        caller = subprocess.Popen([sys.executable, "-c", textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
            import machine_code
            machine_code.compile_kernels(2, (0, "sleeps 20000"), (1, "sleeps 20000"))
            """)], env={**os.environ, "TKC_NVRTC": FAKE})
        self.assertTrue(wait_for(lambda: any(map(children, children(caller.pid)))))
        started = children(caller.pid)
        started += [each for program in started for each in children(program)]
        caller.kill()
        caller.wait()
        self.assertGreaterEqual(len(started), 2)
        self.assertTrue(wait_for(lambda: not any(os.path.exists(f"/proc/{process}") for process in started)), "a process is left")

    def test_jobs(self):
        for wrong in ("0", "-1", "many"):
            with self.assertRaisesRegex(ValueError, f"TKC_JOBS is '{wrong}' when it should be how many"):
                compile_kernels(1, jobs=wrong)

    def test_program_that_is_missing(self):
        with mock.patch.object(locate, "nvrtc_program", side_effect=FileNotFoundError("there is no tkc-nvrtc; install tkc")):
            with self.assertRaisesRegex(nvrtc.NvrtcMissing, "there is no tkc-nvrtc"):
                compile_kernels(1)
        with mock.patch.object(locate, "nvrtc_program", return_value="/dev/null"):
            with self.assertRaisesRegex(tkc.CompileError, "cannot start /dev/null, which makes machine code: Permission denied"):
                compile_kernels(1)

    def test_malformed_requests(self):
        """Whatever is sent to it, the program ends by itself, and not by a signal."""
        whole = b"".join([struct.pack("<I", 2), b"\1\0\0\0n\0", b"\1\0\0\0t\0", struct.pack("<I", 1), b"\2\0\0\0-a\0", struct.pack("<I", 1),
                          b"\0\0\0\0\0", struct.pack("<I", 0)])
        requests = [whole[:length] for length in range(len(whole) + 1)]
        requests += [whole[:at] + b"\xff\xff\xff\xff" + whole[at + 4:] for at in range(len(whole) - 4)]
        endings = set()
        for request in requests:
            for length in (len(request), len(request) + 5):
                done = subprocess.run([locate.nvrtc_program(), FAKE], input=struct.pack("<I", length) + request, capture_output=True)
                endings.add(done.returncode)
        self.assertLessEqual(endings, {0, 1})


class Sources(unittest.TestCase):
    """tkc.compile, which starts the program before the compiler."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = mock.patch.dict(os.environ, TKC_CACHE_DIR=folder.name)
        self.environment.start()
        self.addCleanup(self.environment.stop)

    def tearDown(self):
        self.assertTrue(wait_for(lambda: not children(os.getpid())), "a process is left")

    def entries(self):
        return sorted(each[3]["what"] for each in tkc.cache.entries())

    def test_cached(self):
        """Compiled once; an entry that is there needs no process."""
        first = tkc.compile(GEMM)
        self.assertEqual(self.entries(), ["machine code of gemm.tk", "plan of gemm.tk"])
        with mock.patch.object(nvrtc.NvrtcProcess, "start", side_effect=AssertionError("a process was started")):
            self.assertEqual(tkc.compile(GEMM)._code, first._code)

    def test_source_that_does_not_compile(self):
        with self.assertRaisesRegex(tkc.CompileError, "laod"):
            tkc.compile(source="kernel f(gl<bf16> A) { laod(A); }")
        self.assertEqual(self.entries(), [])

    def test_kernel_that_dies(self):
        """No machine code is cached, and the next attempt makes it."""
        with mock.patch.dict(os.environ, FAKE_NVRTC="kernel 0: dies 9"):
            with self.assertRaisesRegex(tkc.CompileError, "kernel gemm has no machine code: .* was killed by SIGKILL"):
                tkc.compile(GEMM)
        self.assertEqual(self.entries(), ["plan of gemm.tk"])
        self.assertIn(b"-DTKC_KERNEL=0", tkc.compile(GEMM)._code[0])


def setUpModule():
    inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "fake_nvrtc.cpp")
    subprocess.run(["g++", "-O1", "-shared", "-fPIC", inputs, "-o", FAKE], check=True)
    os.environ["TKC_NVRTC"] = FAKE


if __name__ == "__main__":
    unittest.main()
