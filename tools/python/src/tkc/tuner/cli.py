"""cli.py - tkc tune: prepare a bundle for a machine with a GPU; merge and show what it measured."""
import argparse
import os
import sys

from ..compiler import Source
from ..errors import CompileError
from . import database, fit, prepare as preparing
from .help import TEXT
from .plot import write_plot
from .progress import Progress
from .runner import read_shapes
from .show import print_entry, print_losses


def _add_source(parser):
    parser.add_argument("source")
    for name in ("--kernel", "--space", "--shapes"):
        parser.add_argument(name, required=True)
    parser.add_argument("--keep", type=int, default=24)
    parser.add_argument("--sms", type=int, default=132)
    parser.add_argument("--instantiate", action="append", default=[])
    parser.add_argument("-D", action="append", default=[], dest="defines")
    parser.add_argument("-I", action="append", default=[], dest="include")


def _source(options):
    defines = dict(define.partition("=")[::2] for define in options.defines)
    return Source(options.source, None, options.instantiate, {name: value or True for name, value in defines.items()},
                  options.include)


def prepare(options):
    if options.keep < 1:
        raise CompileError(f"--keep is {options.keep}; keep 1 candidate or more")
    shapes, progress = read_shapes(options.shapes), Progress()
    if options.predict:
        return predict(options, shapes, progress)
    space, found, kept = preparing.prepare(_source(options), options.kernel, options.space, shapes, options.output, options.keep,
                                           options.sms, progress)
    print(f"{options.output}: {len(kept)} candidates of {len(found)} that compile; {len(space.refused)} of {len(space.points)} are "
          f"refused; {os.path.getsize(options.output) / 1e6:.1f} MB; run it where the GPU is: python3 "
          f"{os.path.basename(options.output)} run -o FILE")
    return 0


def predict(options, given, progress):
    """Ranks without a GPU."""
    _, shapes, found, kept = preparing.choose(_source(options), options.kernel, options.space, given, options.keep, options.sms,
                                              progress)
    for number, shape in enumerate(shapes):
        print(shape.text())
        for candidate in sorted(kept, key=lambda each: each.cycles[number])[:options.keep]:
            print(f"  {candidate.cycles[number]:12.0f} cycles  {candidate.function}{'  (of the source)' if candidate in found[:1] else ''}")
    return 0


def merge(options):
    entries = {}
    for path in options.inputs:
        for entry in database.read(path):
            if options.device and entry["device"] != options.device:
                continue
            key = database.key_of(entry)
            entries[key] = _merged(entries[key], entry) if key in entries else entry
    if not entries:
        raise CompileError(f"nothing in {', '.join(options.inputs)} is of the device '{options.device}'" if options.device
                           else f"{', '.join(options.inputs)} have no measurements")
    for entry in entries.values():
        fit.finish(entry)
    database.write(options.output, list(entries.values()))
    return 0


def _merged(old, new):
    """Both; of a shape that both measured, the newer one's."""
    first, second = sorted((old, new), key=lambda entry: entry["date"])
    functions = [instance["function"] for instance in second["instances"]]
    if functions[:second["own"]] != [instance["function"] for instance in first["instances"]][:first["own"]]:
        raise CompileError(f"the entries of {first['kernel']} have other instances of the source's own")
    number_of = {}
    for number, instance in enumerate(first["instances"]):
        if instance["function"] not in functions:
            functions.append(instance["function"])
            second["instances"].append(instance)
        number_of[number] = functions.index(instance["function"])
    known = [shape["arguments"] for shape in second["shapes"]]
    for shape in first["shapes"]:
        if shape["arguments"] in known:
            continue
        for name in ("best", "default", "runner_up"):
            shape[name] = None if shape[name] is None else number_of[shape[name]]
        for name in ("times", "cycles"):
            shape[name] = {str(number_of[int(number)]): value for number, value in shape[name].items()}
        second["shapes"].append(shape)
    return second


def show(options):
    entries = database.read(options.input)
    tuned = {entry["kernel"]: entry for entry in database.read(options.chosen_by)} if options.chosen_by else {}
    for entry in entries:
        if entry["kernel"] in tuned:
            print_losses(entry, tuned[entry["kernel"]])
        else:
            print_entry(entry)
    if options.plot:
        write_plot(options.plot, entries)
    return 0


class Parser(argparse.ArgumentParser):
    """Speaks as the rest of tkc does."""

    def error(self, message):
        print(f"tkc: error: {message}; see tkc tune --help", file=sys.stderr)
        sys.exit(2)

    def format_help(self):
        return TEXT


def main(arguments):
    parser = Parser(prog="tkc tune", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    each = commands.add_parser("prepare", allow_abbrev=False)
    _add_source(each)
    each.add_argument("-o", "--output")
    each.add_argument("--predict", action="store_true")
    each = commands.add_parser("merge", allow_abbrev=False)
    each.add_argument("inputs", nargs="+")
    each.add_argument("-o", "--output", required=True)
    each.add_argument("--device")
    each = commands.add_parser("show", allow_abbrev=False)
    each.add_argument("input")
    each.add_argument("--plot")
    each.add_argument("--chosen-by")
    options = parser.parse_args(arguments)
    if options.command == "prepare" and not options.output:
        options.output = options.kernel + ".pyz"
    try:
        return {"prepare": prepare, "merge": merge, "show": show}[options.command](options)
    except CompileError as error:
        print(f"tkc tune: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
