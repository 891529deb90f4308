#!/usr/bin/env python3
"""whole_outputs.py - Disks that fill up and processes that are killed leave the older outputs whole, or the new ones.

  whole_outputs.py disk TKC ROUNDS FOLDER SOURCE SOURCE    a tmpfs with room for some of the outputs
  whole_outputs.py kill TKC ROUNDS FOLDER SOURCE SOURCE    a signal at a random moment

Both sources are compiled to the same .cu, .h and .d one after the other. After each round the three files must be those of one source.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

NAMES = ["kernel.cu", "kernel.h", "kernel.d"]


def command(tkc, source):
    return [tkc, os.path.abspath(source), "-o", NAMES[0], "-MD"]


def read(folder):
    """What is there of the outputs, and the names of what should not be there."""
    files = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    files.pop("filler", None)
    return tuple(files.pop(name, None) for name in NAMES), sorted(files)


def outputs_of(tkc, sources):
    outputs = []
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(command(tkc, source), cwd=folder, check=True)
            outputs.append(read(folder)[0])
    assert all(a != b for a, b in zip(*outputs)), "the sources must differ in every output"
    return outputs


def fill(folder, room):
    """Leaves this many bytes free."""
    with open(os.path.join(folder, "filler"), "wb") as file:
        disk = os.statvfs(folder)
        os.posix_fallocate(file.fileno(), 0, max(4096, disk.f_bavail * disk.f_bsize - room))


def rounds_on_disk(tkc, rounds, folder, sources, outputs):
    rng, full = random.Random(1), 0
    there = 0
    for number in range(rounds):
        wanted = 1 - there
        needed = sum(len(text) + 4096 for text in outputs[wanted])  # in pages
        room = rng.randrange(0, 3 * needed // 2)
        fill(folder, room)
        done = subprocess.run(command(tkc, sources[wanted]), cwd=folder, capture_output=True, text=True)
        os.remove(os.path.join(folder, "filler"))
        files, others = read(folder)
        if done.returncode == 0:
            there = wanted
        elif done.returncode != 1 or "No space left on device" not in done.stderr:
            return f"round {number}: status {done.returncode}: {done.stderr}"
        else:
            full += 1
        if files != outputs[there] or others:
            sizes = [len(file or b"") for file in files]
            return f"round {number}, status {done.returncode}, {room} bytes free: sizes {sizes}, also {others}"
    if not rounds // 4 < full < rounds - rounds // 8:
        return f"{full} of {rounds} disks were full: the rounds show nothing"
    print(f"{rounds} rounds, {full} of them on a full disk")
    return None


def wait_for_writing(process, folder):
    """Until there are more files than the outputs, or the process has ended."""
    while process.poll() is None and len(os.listdir(folder)) <= len(NAMES):
        pass


def rounds_of_kills(tkc, rounds, folder, sources, outputs):
    rng, changed = random.Random(2), 0
    there, seconds = 0, 1.0
    for number in range(rounds):
        wanted = 1 - there
        kind = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
        start = time.time()
        process = subprocess.Popen(
            command(tkc, sources[wanted]), cwd=folder, stderr=subprocess.PIPE, start_new_session=True
        )
        if number % 2:
            time.sleep(rng.uniform(0, 1.2 * seconds))
        else:  # while it writes
            wait_for_writing(process, folder)
            time.sleep(rng.choice([0, 0, rng.uniform(0, 0.002)]))
        if process.poll() is None:
            os.killpg(process.pid, kind)
        process.communicate()  # ends when nobody holds its standard error any more
        seconds = 0.5 * seconds + 0.5 * (time.time() - start)
        files, others = read(folder)
        if files == outputs[wanted]:
            changed += 1
            there = wanted
        elif files != outputs[there]:
            sizes = [len(file or b"") for file in files]
            return f"round {number}, signal {kind}: a mixture, sizes {sizes}"
        if others and kind == signal.SIGTERM:
            return f"round {number}: signal {kind} leaves {others}"
        for name in others:
            os.remove(os.path.join(folder, name))
    print(f"{rounds} rounds, {changed} of them with new outputs")
    return None


def main():
    kind, tkc, rounds, folder, *sources = sys.argv[1:]
    if kind == "disk":  # again, where a file system can be mounted
        done = subprocess.run(["unshare", "-m", sys.executable, __file__, "mounted", *sys.argv[2:]])
        return done.returncode
    os.makedirs(folder, exist_ok=True)
    outputs = outputs_of(tkc, sources)
    if kind == "mounted":
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]).returncode != 0:
            print("SKIPPED: no file system can be mounted here")
            return 0
    for name, text in zip(NAMES, outputs[0]):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    work = rounds_on_disk if kind == "mounted" else rounds_of_kills
    problem = work(tkc, int(rounds), folder, sources, outputs)
    if problem:
        print(f"FAIL {problem}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
