"""python -m tkc - The compiler, and the cache.

    python -m tkc gemm.tk -o gemm.cu      as the program tkc
    python -m tkc tune --help             finds the fastest instances of a kernel
    python -m tkc cache list              what is cached, the oldest first
    python -m tkc cache clear             removes it
    python -m tkc cache path              where it is
"""
import os
import sys
import time

from . import cache, locate


def show_cache():
    total = 0
    for used, size, name, about in cache.entries():
        total += size
        print(f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(used))}  {size / 1e6:8.2f} MB  {name[:16]}  {about.get('what', '')}")
    print(f"{total / 1e6:.2f} MB of {cache.LIMIT / 1e6:.0f} in {cache.path()}")


def main(arguments):
    if arguments[:1] == ["cache"]:
        if arguments[1:] == ["list"]:
            show_cache()
        elif arguments[1:] == ["path"]:
            print(cache.path())
        elif arguments[1:] == ["clear"]:
            count, size = cache.clear()
            print(f"removed {count} entries, {size / 1e6:.2f} MB")
        else:
            print(__doc__, file=sys.stderr)
            return 2
        return 0
    if arguments[:1] == ["tune"]:
        from .tuner.cli import main as tune

        return tune(arguments[1:])
    tkc = locate.compiler()
    os.execv(tkc, [tkc, *arguments])


def run():
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
