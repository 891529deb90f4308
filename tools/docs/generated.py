"""generated.py - Writes a page of docs/, or says that it is stale.

Both generators of this folder take no argument to write their pages, and --check to compare.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def publish(pages, command):
    """`pages` maps a path below the root to its text; the exit status."""
    stale = []
    for path, text in pages.items():
        full = os.path.join(ROOT, path)
        old = open(full).read() if os.path.exists(full) else None
        if old == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as file:
                file.write(text)
    if "--check" in sys.argv and stale:
        print(f"{', '.join(stale)}: not what {command} writes; run it and commit what changes")
        return 1
    return 0
