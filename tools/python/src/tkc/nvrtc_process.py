"""nvrtc_process.py - The program that makes machine code (tools/python/nvrtc): what is sent to it, and what it answers.

It loads NVRTC and forks a process for each kernel. So NVRTC is never loaded into the user's process, a crash of it is an
exception, and kernels are compiled side by side, which threads of one process are not: they wait for each other inside.
"""
import os
import signal
import struct
import subprocess
import tempfile
from dataclasses import dataclass

from . import locate
from .errors import CompileError

COMPILED, KILLED, ENDED, NOT_STARTED = range(4)  # jobs.h
OUT_OF_MEMORY = 1  # of NVRTC's statuses
FEWER = "where memory or processes are short, TKC_JOBS=1 compiles one kernel after another"


class NvrtcMissing(CompileError):
    """There is no NVRTC; the text says what has it."""


@dataclass(frozen=True)
class Answer:
    """Of one kernel: NVRTC's status, its log and the machine code; or why there is none of these."""

    status: int
    log: str
    cubin: bytes
    failure: str = ""


def _number(value):
    return struct.pack("<I", value)


def _text(value):
    data = value.encode()
    if b"\0" in data:
        raise CompileError("a text for NVRTC has a zero byte")
    return _number(len(data)) + data + b"\0"


def _list(texts):
    return _number(len(texts)) + b"".join(map(_text, texts))


class NvrtcProcess:
    """Not started until start(), or until something is asked of it; ended by close()."""

    def __init__(self, libraries):
        self.libraries = libraries
        self._process = self._errors = self._version = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start(self):
        """Loads NVRTC while the caller does something else."""
        if self._process is None:
            try:
                program = locate.nvrtc_program()
            except FileNotFoundError as missing:
                raise NvrtcMissing(str(missing)) from None
            self._errors = tempfile.TemporaryFile()
            try:
                self._process = subprocess.Popen([program, *self.libraries], bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 stderr=self._errors)
            except OSError as error:
                self._errors.close()
                raise CompileError(f"cannot start {program}, which makes machine code: {error.strerror}") from None

    def close(self):
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._errors.close()
            self._process = None

    def version(self):
        """(major, minor) of NVRTC, or None where none of the libraries is there."""
        if self._version is None:
            self.start()
            self._version = struct.unpack("<III", self._read(12))
        return self._version[1:] if self._version[0] else None

    def compile(self, text, name, options, kernels, at_once):
        """An Answer for each of `kernels`, (text after the text, more options), in their order."""
        self.version()
        request = b"".join([_number(at_once), _text(name), _text(text), _list(options), _number(len(kernels)),
                            *(_text(after) + _list(more) for after, more in kernels)])
        self._write(_number(len(request)) + request)
        answers = [None] * len(kernels)
        for _ in kernels:
            kernel, outcome, detail, length = struct.unpack("<IIII", self._read(16))
            answers[kernel] = _answer(outcome, detail, self._read(length), self._said())
        self.close()
        return answers

    def _said(self):
        """What NVRTC printed, or the C library when it gave up."""
        self._errors.seek(0)
        return self._errors.read(2000).decode(errors="replace").strip()

    def _lost(self):
        status, said = self._process.wait(), self._said()
        return CompileError(f"the program that makes machine code {_ended(status)}; {FEWER}" + (f":\n{said}" if said else ""))

    def _write(self, data):
        data = memoryview(data)
        try:
            while data:
                data = data[self._process.stdin.write(data):]
        except BrokenPipeError:
            raise self._lost() from None

    def _read(self, count):
        data = bytearray()
        while len(data) < count:
            more = self._process.stdout.read(count - len(data))
            if not more:
                raise self._lost()
            data += more
        return bytes(data)


def _ended(status):
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _answer(outcome, detail, said, printed):
    if outcome == COMPILED and len(said) >= 8:
        status, length = struct.unpack_from("<II", said)
        answer = Answer(status, said[8:8 + length].decode(errors="replace").strip("\0\n"), said[8 + length:])
        return Answer(status, "", b"", f"NVRTC is out of memory; {FEWER}") if status == OUT_OF_MEMORY else answer
    if outcome == NOT_STARTED:
        return Answer(0, "", b"", f"there is no process to compile it: {os.strerror(detail)}; {FEWER}")
    how = _ended(-detail if outcome == KILLED else detail)
    return Answer(0, "", b"", f"the process that compiles it {how}; {FEWER}" + (f":\n{printed}" if printed else ""))
