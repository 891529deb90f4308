"""runner.py - The command line of a bundle: python3 product.pyz run -o product.tuned.json"""
import argparse
import json
import sys

from ..errors import CompileError, LaunchError
from . import database
from .bundle import Bundle
from .progress import Progress
from .search import Limits, Search
from .worker import Lost, Worker, serve


def read_shapes(path):
    try:
        with open(path, encoding="utf-8") as file:
            shapes = json.load(file)
    except OSError as error:
        raise CompileError(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:
        raise CompileError(f"'{path}' is no JSON: {error}") from None
    if not isinstance(shapes, list) or not shapes:
        raise CompileError(f"'{path}' is no list of shapes, as [{{\"A\": [4096, 1024], \"B\": [1024, 512]}}]")
    return shapes


def kept_of(path, bundle):
    """Numbers of the candidates that a database keeps; None without one."""
    if not path:
        return None
    functions = {entry["instances"][number]["function"] for entry in database.read(path) for number in entry["kept"]
                 if entry["kernel"] == bundle.record["kernel"]}
    kept = {number for number, each in enumerate(bundle.candidates) if each["function"] in functions}
    if not kept:
        raise CompileError(f"'{path}' keeps no candidate of {bundle.record['kernel']}")
    return kept | set(range(bundle.record["own"]))


def describe(bundle):
    record = bundle.record
    print(f"{record['kernel']} of {record['source']}, tkc {record['tkc']}: {len(bundle.candidates)} candidates, "
          f"{len(record['shapes'])} shapes, {len(record['refused'])} refused")
    for number, candidate in enumerate(bundle.candidates):
        print(f"  {number:3}  {candidate['function']}{'  (of the source)' if number < record['own'] else ''}")


def main(arguments):
    parser = argparse.ArgumentParser(prog="a bundle of tkc tune", description="Measures candidates of a kernel on this machine's GPU. "
                                     "Exit status: 0 done; 1 a candidate was wrong, or shapes are not measured; 2 the command line is wrong.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="measure; goes on where an earlier run ended")
    run.add_argument("--time", type=float, default=60, metavar="SECONDS", help="of the GPU, for all shapes (default 60)")
    run.add_argument("-o", "--output", required=True, metavar="FILE", help="the database; entries of other kernels in it stay")
    run.add_argument("--shapes", metavar="FILE", help="other shapes than the bundle's")
    run.add_argument("--timeout", type=float, default=20, metavar="SECONDS", help="a candidate that takes longer hangs (default 20)")
    run.add_argument("--idle", type=float, default=0.12, metavar="SECONDS", help="before each burst (default 0.12)")
    run.add_argument("--all", type=int, default=0, metavar="BURSTS", help="time every candidate in so many bursts, drop none")
    run.add_argument("--kept", metavar="FILE", help="of the candidates those alone that this database keeps")
    commands.add_parser("list", help="what is in the bundle")
    commands.add_parser("serve")
    options = parser.parse_args(arguments)
    path = sys.argv[0]
    try:
        bundle = Bundle(path)
        if options.command == "serve":
            return serve(bundle)
        if options.command == "list":
            return describe(bundle)
        worker = Worker([sys.executable, path, "serve"])
        try:
            shapes = read_shapes(options.shapes) if options.shapes else None
            limits = Limits(options.time, options.timeout, options.all, options.idle, kept_of(options.kept, bundle))
            return Search(bundle, worker, options.output, Progress(), limits, shapes).run()
        finally:
            worker.close()
    except (CompileError, LaunchError, Lost) as error:
        print(f"tkc tune: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tkc tune: interrupted; run it again to go on", file=sys.stderr)
        return 130
