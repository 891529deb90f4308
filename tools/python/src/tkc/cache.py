"""cache.py - What was compiled once, on disk.

A folder for each key, written whole and renamed, so that a reader never sees half of one; a lock for each key, so that eight
ranks compile once; a checksum, so that a damaged entry is made anew. Where the folder cannot be written there is one warning
and a temporary one. Beyond 2 GB the entries go that were not used for the longest time.
"""
import atexit
import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
import warnings

LIMIT = 2 << 30
VERSION = "v1"  # of the layout


def path():
    """TKC_CACHE_DIR, else the user's cache folder."""
    named = os.environ.get("TKC_CACHE_DIR")
    if named:
        return os.path.abspath(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tkc")


def key(*parts):
    """A name for what the parts, bytes or texts, make."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        hasher.update(len(data).to_bytes(8, "little"))
        hasher.update(data)
    return hasher.hexdigest()


_temporary = None


def _give_up(error):
    """The folder that stands in for one that cannot be written."""
    global _temporary
    if _temporary is None:
        _temporary = tempfile.mkdtemp(prefix="tkc-cache-")
        owner = os.getpid()
        atexit.register(lambda: os.getpid() == owner and shutil.rmtree(_temporary, ignore_errors=True))
        warnings.warn(f"the cache folder {path()} cannot be written ({error}); kernels are compiled anew in each process. "
                      "TKC_CACHE_DIR names another folder", RuntimeWarning, stacklevel=4)
    return _temporary


def _folder():
    folder = os.path.join(path(), VERSION)
    try:
        os.makedirs(folder, exist_ok=True)
        return folder
    except OSError as error:
        return _give_up(error)


def _sum(files):
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _read(folder):
    """The files of an entry and its record; None where it is not there or not whole."""
    try:
        with open(os.path.join(folder, "entry.json"), "rb") as file:
            record = json.load(file)
        files = {}
        for name in record["sums"]:
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
        if _sum(files) != record["sums"]:
            return None
        return files, record["about"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def find(name, is_valid=lambda about: True):
    """(files, what was said about them, folder) of an entry, or None. What `is_valid` refuses is as if it were not there."""
    places = [os.path.join(path(), VERSION)] + ([_temporary] if _temporary else [])
    for place in places:
        folder = os.path.join(place, name)
        found = _read(folder)
        if found and is_valid(found[1]):
            with contextlib.suppress(OSError):
                os.utime(folder)
            return (*found, folder)
    return None


@contextlib.contextmanager
def _locked(name):
    """Alone among all processes and threads that make this entry. Without a lock where the folder cannot have one."""
    handle = None
    try:
        handle = open(os.path.join(_folder(), name + ".lock"), "a")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        pass
    try:
        yield
    finally:
        if handle:
            handle.close()


def get(name, make, is_valid=lambda about: True):
    """The entry, made by make() -> (files, about) where there is none: (files, about, folder)."""
    found = find(name, is_valid)
    if found:
        return found
    with _locked(name):
        found = find(name, is_valid)
        if found:
            return found
        files, about = make()
        return files, about, _write(name, files, about)


def _write(name, files, about):
    record = json.dumps({"sums": _sum(files), "about": about, "made": int(time.time())}, indent=1).encode()
    for place in (_folder, lambda: _give_up("it was writable before")):
        try:
            return _publish(place(), name, {**files, "entry.json": record})
        except OSError as error:
            _give_up(error)
    raise OSError("no cache folder can be written, not even a temporary one")


def _publish(place, name, files):
    new = tempfile.mkdtemp(dir=place, prefix="new-")
    try:
        for each, data in files.items():
            with open(os.path.join(new, each), "wb") as file:
                file.write(data)
        folder = os.path.join(place, name)
        for _ in range(3):
            try:
                os.rename(new, folder)
                break
            except OSError:  # a damaged one stands there, or another process was first
                old = tempfile.mkdtemp(dir=place, prefix="old-")
                with contextlib.suppress(OSError):
                    os.rename(folder, os.path.join(old, "entry"))
                shutil.rmtree(old, ignore_errors=True)
        else:
            raise OSError(f"{folder} cannot be replaced")
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    prune()
    return folder


def entries():
    """(last use, bytes, name, about) of each entry, the oldest first."""
    found = []
    place = os.path.join(path(), VERSION)
    for name in os.listdir(place) if os.path.isdir(place) else []:
        folder = os.path.join(place, name)
        if not os.path.isdir(folder) or name.startswith(("new-", "old-")):
            continue
        with contextlib.suppress(OSError, ValueError):
            size = sum(entry.stat().st_size for entry in os.scandir(folder))
            with open(os.path.join(folder, "entry.json"), "rb") as file:
                about = json.load(file).get("about", {})
            found.append((os.stat(folder).st_mtime, size, name, about))
    return sorted(found, key=lambda entry: entry[:3])


def prune(limit=LIMIT):
    """Removes entries, the oldest first, until those that are left fit."""
    found = entries()
    total = sum(size for _, size, _, _ in found)
    for _, size, name, _ in found:
        if total <= limit:
            break
        shutil.rmtree(os.path.join(path(), VERSION, name), ignore_errors=True)
        total -= size


def clear():
    """Removes all entries: how many there were, and their bytes. Locks stay: someone may hold one."""
    found = entries()
    for _, _, name, _ in found:
        shutil.rmtree(os.path.join(path(), VERSION, name), ignore_errors=True)
    return len(found), sum(size for _, size, _, _ in found)
