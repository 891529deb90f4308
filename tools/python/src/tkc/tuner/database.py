"""database.py - Measurements as JSON, one entry for each kernel, source, version of tkc and device.

    {"format": 3, "what": "tkc tune", "entries": [{
      "kernel", "source", "source_hash", "tkc", "device", "sms", "date", "space",
      "instances": [{"function", "parameters", "efficiency"}],     the source's own first
      "own": how many are the source's own,
      "fixed": predicted cycles that no efficiency changes,
      "kept": [numbers of instances that --tuned compiles],
      "shapes": [{"arguments", "best", "ms", "default", "default_ms", "runner_up", "runner_up_ms", "spread", "trials",
                  "times": {number: ms}, "cycles": {number: predicted}}],
      "refused": [{"function", "why"}]}]}
"""
import json
import os

from ..errors import CompileError

FORMAT = 3
KEY = ("kernel", "source_hash", "tkc", "device", "sms")
FIELDS = {"kernel": str, "source": str, "source_hash": str, "tkc": str, "device": str, "sms": int, "date": str, "space": str,
          "instances": list, "own": int, "fixed": (int, float), "kept": list, "shapes": list, "refused": list}


def key_of(entry):
    return tuple(entry[name] for name in KEY)


def _check_entry(entry):
    for name, kind in FIELDS.items():
        if not isinstance(entry[name], kind):
            raise ValueError(f"{name} is {entry[name]!r}")
    count = len(entry["instances"])
    for instance in entry["instances"]:
        if not isinstance(instance["function"], str) or not isinstance(instance["efficiency"], int):
            raise ValueError(f"an instance is {instance!r}")
    for number in [*entry["kept"], *(shape[each] for shape in entry["shapes"] for each in ("best", "default"))]:
        if not isinstance(number, int) or not 0 <= number < count:
            raise ValueError(f"there is no instance {number!r}")


def read(path):
    """The entries of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except OSError as error:
        raise CompileError(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:
        raise CompileError(f"'{path}' is no database of tkc tune, or it is damaged: {error}") from None
    if not isinstance(record, dict) or record.get("what") != "tkc tune":
        raise CompileError(f"'{path}' is no database of tkc tune")
    if record.get("format") != FORMAT:
        raise CompileError(f"'{path}' has format {record.get('format')} when this tkc reads {FORMAT}; measure again")
    try:
        for entry in record["entries"]:
            _check_entry(entry)
    except (KeyError, TypeError, ValueError) as error:
        raise CompileError(f"'{path}' is damaged: {type(error).__name__} {error}; measure again") from None
    return record["entries"]


def write(path, entries):
    """All of it or nothing."""
    text = json.dumps({"format": FORMAT, "what": "tkc tune", "entries": sorted(entries, key=key_of)}, indent=1) + "\n"
    unnamed = f"{os.fspath(path)}.{os.getpid()}.new"
    try:
        with open(unnamed, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unnamed, path)
    except OSError as error:
        if os.path.exists(unnamed):
            os.unlink(unnamed)
        raise CompileError(f"cannot write '{path}': {error.strerror}") from None
