"""bad_files.py - What tkc trace says of files that are no run: bad_files.py TKC RUN, in RUN's folder

Prints its messages. A status other than 1, and a timeline that is written all the same, are failures.
"""
import os
import subprocess
import sys

tkc, run = sys.argv[1:]
good = open(run, "rb").read()
first = 4 * (16 + 12)  # the first record


def changed(at, word):
    return good[:at] + word.to_bytes(4, "little") + good[at + 4 :]


files = {
    "short": good[:30],
    "empty": b"",
    "cut": good[:-4],
    "long": good + b"1234",
    "zeros": bytes(len(good)),
    "text": b"text" + good[4:],
    "format": changed(4, 2),
    "number": changed(first + 4, 0xFFFF),
    "kernel": changed(16, 7),
    "blocks": changed(20, 0xFFFFFFFF),
    "streams": changed(24, 0xFFFFFFFF),
    "capacity": changed(28, 0xFFFFFFFF),
    "running": changed(64, 0xFFFFFFFF),
    "clock": changed(first, 0xFFFFFFFF),
    "missing": None,
}
for name, data in files.items():
    if data is not None:
        with open(name, "wb") as file:
            file.write(data)
    done = subprocess.run([tkc, "trace", name], capture_output=True, text=True)
    print(done.stderr, end="")
    if done.returncode != 1 or done.stdout or os.path.exists(name + ".json"):
        sys.exit(f"{name}: status {done.returncode}")
# Any word may be damaged: tkc refuses it or not, but does not crash.
for at in range(0, 4 * 60, 4):
    for word in (0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
        with open("damaged", "wb") as file:
            file.write(changed(at, word))
        status = subprocess.run([tkc, "trace", "damaged", "-o", "/dev/null"], capture_output=True).returncode
        if status not in (0, 1):
            sys.exit(f"word {at // 4} as {word:#x}: status {status}")
