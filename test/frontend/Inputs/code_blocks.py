#!/usr/bin/env python3
"""code_blocks.py - Every C++ example of a page, as tkc and as a C++20 compiler see it.

Each is C++ without a warning. tkc compiles it to CUDA, unless *Reference only, so far* stands above it: then tkc
refuses it with a message. So the page promises nothing that tkc has not. Where it promises too little, a line says so;
`--update` rewrites the page to what is true.
"""
import os
import re
import subprocess
import sys

MARK = "*Reference only, so far:*\n\n"
BLOCK = re.compile(rf"({re.escape(MARK)})?^```cpp\n(.*?)^```$", re.M | re.S)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, f"{' '.join(command)}\n{done.stderr}"


class Page:
    def __init__(self, tkc, header, page, folder):
        self.tkc, self.header, self.page, self.folder = tkc, header, page, folder
        self.examples = self.refused = self.failures = 0
        os.makedirs(folder, exist_ok=True)

    def check(self, match):
        """Compiles one example; gives the text that ought to stand in its place."""
        marked, block = match[1], match[2]
        path = os.path.join(self.folder, f"example{self.examples}.tk")
        self.examples += 1
        with open(path, "w") as file:
            file.write(block)
        compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Werror"]
        status, text = run(compiler + ["-include", self.header, "-x", "c++", path])
        if status:
            self.fail(text)
        status, text = run([self.tkc, path, "-o", os.devnull])
        self.refused += status == 1
        if status not in (0, 1) or "internal error" in text or (status and not marked):
            self.fail(text)
        elif marked and not status:
            print(f"tkc compiles what is marked '{MARK.strip()}'; run this with --update:\n{block}")
        return (MARK if status else "") + f"```cpp\n{block}```"

    def fail(self, text):
        self.failures += 1
        print(f"FAIL {text}")


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    page = Page(*words)
    with open(page.page) as file:
        text = BLOCK.sub(page.check, file.read())
    if "--update" in sys.argv:
        with open(page.page, "w") as file:
            file.write(text)
    print(f"{page.examples} examples, {page.refused} for the reference only, {page.failures} failures")
    return 1 if page.failures or not page.examples else 0


sys.exit(main())
