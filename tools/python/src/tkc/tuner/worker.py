"""worker.py - The process that touches the GPU, and its parent's end.

A candidate may hang, or take the context with it. The parent then ends this process and starts another one; that candidate is
all that is lost. A request is a line [what, argument], a reply a line with an object.
"""
import json
import os
import select
import subprocess
import sys
import time


class Lost(Exception):
    """The process ended or did not answer in time; the text says which."""


class Failed(Exception):
    """The request was refused, with a reason; the process goes on."""


def serve(bundle):
    """The process itself: requests from standard input, replies to what was standard output."""
    from .measure import Bench

    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    bench = None
    for line in sys.stdin:
        what, argument = json.loads(line)
        is_fatal = False
        try:
            if bench is None:
                bench = Bench(bundle)
            reply = getattr(bench, what)(*argument)
        except MemoryError as error:
            reply = {"error": str(error)}
        except Exception as error:  # a context is lost with any error of the driver
            reply, is_fatal = {"error": f"{error}", "fatal": True}, True
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if is_fatal:
            os._exit(1)


class Worker:
    """The parent's end."""

    def __init__(self, command):
        self.command, self.process, self.pending = command, None, b""

    def ask(self, what, *argument, timeout=60):
        if self.process is None:
            self.process, self.pending = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE), b""
        try:
            self.process.stdin.write((json.dumps([what, argument]) + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            self._end()
            raise Lost("the process that runs kernels ended") from None
        reply = json.loads(self._line(time.monotonic() + timeout, timeout))
        if reply.get("fatal"):
            self._end()
            raise Lost(reply["error"])
        if "error" in reply:
            raise Failed(reply["error"])
        return reply

    def _line(self, deadline, timeout):
        output = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            ready, _, _ = select.select([output], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self._end()
                raise Lost(f"it did not end within {timeout:g} s")
            data = os.read(output, 65536)
            if not data:
                status = self.process.wait()
                self._end()
                raise Lost(f"the process that runs kernels ended with status {status}")
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line

    def _end(self):
        process, self.process = self.process, None
        if process:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    close = _end
