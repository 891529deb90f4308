#!/usr/bin/env python3
"""run_files.py - `tkc run` where names are hostile and the disk is full: run_files.py TKC FOLDER"""
import os
import shlex
import shutil
import subprocess
import sys

SOURCE = """kernel copy(gl<float> A, gl<float> B) {
  for (auto [m, n] : grid(cdiv(B.rows(), 64), cdiv(B.cols(), 64))) {
    rt<float, 64, 64> x = load(A, {m, n});
    store(B, {m, n}, x);
  }
}
"""
QUICK = ["--shape", "A=64x64,B=64x64", "--seeds", "1", "--policy", "random"]


def run(tkc, *arguments, **settings):
    return subprocess.run([tkc, "run", "--emulate", *arguments], capture_output=True, text=True, **settings)


def check_names(tkc):
    """Both quotes, a space and a percent sign in the folder's name and in the file's."""
    name = "it's \"a b\" %s/it's \"c d\" %s.tk"
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w") as file:
        file.write(SOURCE)
    done = run(tkc, name, *QUICK)
    if done.returncode:
        return f"{name}: status {done.returncode}: {done.stderr}"
    return None


def check_emitted(tkc):
    """A file is no option of the host's compiler. The result is wrong, and the command to repeat it can be pasted."""
    with open("plain.tk", "w") as file:
        file.write(SOURCE)
    subprocess.run([tkc, "plain.tk", "-o", "plain.cu"], check=True)
    with open("plain.cu") as file:
        text = file.read().replace("host::arguments args", "return tk_status{1, {}}; host::arguments args")
    name = "-it's `touch evil` $(touch evil).cu"
    with open(name, "w") as file:
        file.write(text)
    done = run(tkc, "plain.tk", "--emitted=" + name, *QUICK)
    again = [line for line in done.stderr.split("\n") if "again: " in line]
    if done.returncode != 1 or not again:
        return f"{name}: status {done.returncode}: {done.stderr}"
    command = again[0].split("again: ")[1]
    words = shlex.split(command)
    if f"--emitted={name}" not in words:
        return f"{words} lacks {name!r}"
    shell = subprocess.run(["sh", "-c", f"echo {command}"], capture_output=True, text=True)
    return "the command runs another" if os.path.exists("evil") or f"--emitted={name}" not in shell.stdout else None


def check_inputs_kept(tkc):
    """What a run reads stays as it is where --keep would write: an included file, and the CUDA of --emitted."""
    os.makedirs("kept", exist_ok=True)
    included, emitted = os.path.join("kept", "reads_calls.cpp"), os.path.join("kept", "plain_emulated")
    with open(included, "w") as file:
        file.write("// nothing\n")
    with open("reads.tk", "w") as file:
        file.write(f'#include "{included}"\n{SOURCE}')
    with open("plain.tk", "w") as file:
        file.write(SOURCE)
    subprocess.run([tkc, "plain.tk", "-o", emitted], check=True)
    for path, arguments in ((included, ["reads.tk"]), (emitted, ["plain.tk", "--emitted", emitted])):
        with open(path, "rb") as file:
            before = file.read()
        done = run(tkc, *arguments, "--keep", "kept", *QUICK)
        with open(path, "rb") as file:
            if file.read() != before:
                return f"{path} is overwritten"
        if done.returncode != 1 or f"cannot write '{path}': it is " not in done.stderr:
            return f"{path}: status {done.returncode}: {done.stderr}"
    os.mkfifo("pipe")
    done = run(tkc, "plain.tk", "--emitted", "pipe", *QUICK, timeout=100)
    return None if "cannot read 'pipe': it is not a regular file" in done.stderr else f"pipe: {done.stderr}"


def check_full_disk(tkc):
    """In a TMPDIR of its own, on a disk that is full: this part runs where a file system can be mounted."""
    os.makedirs("small", exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", "small"]).returncode != 0:
        print("SKIPPED: no file system can be mounted here")
        return None
    for room in (0, 4096, 12288, 40960, 102400):
        with open("small/filler", "wb") as file:
            disk = os.statvfs("small")
            os.posix_fallocate(file.fileno(), 0, max(4096, disk.f_bavail * disk.f_bsize - room))
        done = run(tkc, "plain.tk", *QUICK, env={**os.environ, "TMPDIR": os.path.abspath("small")})
        os.remove("small/filler")
        # A host compiler may die without a word.
        said = "No space left on device" in done.stderr or "cannot build" in done.stderr
        if done.returncode != 1 or not said or os.listdir("small"):
            return f"{room} bytes free: status {done.returncode}, left {os.listdir('small')}: {done.stderr}"
    return None


def main():
    tkc, folder, *inside = sys.argv[1:]
    if not inside:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        again = [sys.executable, os.path.abspath(__file__), tkc, folder, "inside"]
        return subprocess.run(["unshare", "-m", *again]).returncode
    os.chdir(folder)
    checks = (check_names, check_emitted, check_inputs_kept, check_full_disk)
    problems = [problem for problem in (check(tkc) for check in checks) if problem]
    for problem in problems:
        print(f"FAIL {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
