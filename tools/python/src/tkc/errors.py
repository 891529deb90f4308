"""errors.py - What the package raises, and warns of."""
import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """One thing the compiler says; `column` counts from 1, and both are 0 where there is no place."""

    file: str
    line: int
    column: int
    severity: str  # error, warning, note or remark
    message: str
    notes: tuple = field(default=())

    def text(self, sources=None):
        """As the compiler prints it: the place, the sentence, the line with a caret; then its notes."""
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        lines = [f"{place}{self.severity}: {self.message}"]
        source = _line(self.file, self.line, sources)
        if source is not None:
            number = f"{self.line:5} | "
            before = source[: self.column - 1]
            lines += [number + source, " " * 5 + " | " + "".join("\t" if c == "\t" else " " for c in before) + "^"]
        return "\n".join(lines + [note.text(sources) for note in self.notes])


def _line(file, number, sources):
    """The text of a line, if it is at hand: `sources` has texts that are no files, by name."""
    text = (sources or {}).get(file)
    if text is None and number and os.path.isfile(file):
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
    lines = text.splitlines() if text and number else []
    return lines[number - 1] if 0 < number <= len(lines) else None


class CompileError(Exception):
    """The source does not compile; `diagnostics` are the compiler's, as objects."""

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = list(diagnostics)

    def __reduce__(self):
        return type(self), (self.args[0], self.diagnostics)


STATUS_NAMES = ("ok", "invalid argument", "unsupported device", "launch failed", "emulator fault")


class LaunchError(RuntimeError):
    """A kernel was not launched, or the emulator found a fault; `status` is the sentence of the C interface."""

    def __init__(self, text, code=3, status=None):
        super().__init__(text)
        self.code = code
        self.status = text if status is None else status

    def __reduce__(self):
        return type(self), (self.args[0], self.code, self.status)


class PerformanceWarning(UserWarning):
    """A kernel is right, but slower than it needs to be."""
