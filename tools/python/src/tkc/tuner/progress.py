"""progress.py - A bar on a terminal, lines elsewhere."""
import sys
import time


class Progress:
    def __init__(self, out=None):
        self.out = out or sys.stderr
        self.is_terminal = self.out.isatty()
        self.shown, self.start = "", time.monotonic()

    def show(self, done, total, text):
        """`done` of `total`; on a terminal the line is replaced."""
        if not self.is_terminal:
            return
        width = 24
        full = int(width * done / total) if total else 0
        line = f"[{'#' * full}{'.' * (width - full)}] {100 * done / max(total, 1e-9):3.0f} %  {time.monotonic() - self.start:4.0f} s  {text}"
        self.out.write("\r" + line[:118] + " " * max(0, len(self.shown) - len(line)))
        self.out.flush()
        self.shown = line[:118]

    def say(self, text):
        self.clear()
        self.out.write(text + "\n")
        self.out.flush()

    def clear(self):
        if self.shown:
            self.out.write("\r" + " " * len(self.shown) + "\r")
            self.shown = ""
