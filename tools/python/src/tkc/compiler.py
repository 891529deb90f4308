"""compiler.py - Runs tkc, and turns what it says into objects."""
import json
import os
import subprocess
import tempfile

from . import locate
from .errors import CompileError, Diagnostic

STDIN_NAME = "<stdin>"


class Source:
    """What is compiled: a file or a text, with the options that belong to it. Plain data: it can be pickled."""

    def __init__(self, path=None, text=None, instantiate=(), define=None, include=(), tuned=None):
        if (path is None) == (text is None):
            raise TypeError("tkc.compile takes a path or source=, one of them")
        self.path = os.path.abspath(os.fspath(path)) if path is not None else None
        self.text = text
        self.instantiate = tuple([instantiate] if isinstance(instantiate, str) else instantiate)
        self.define = dict(define or {})
        self.include = tuple(os.path.abspath(os.fspath(folder)) for folder in include)
        self.tuned = os.path.abspath(os.fspath(tuned)) if tuned is not None else None

    @property
    def name(self):
        return os.path.basename(self.path) if self.path else STDIN_NAME

    @property
    def stem(self):
        return os.path.splitext(self.name)[0] if self.path else "kernel"

    def read(self):
        """The bytes of the source."""
        if self.text is not None:
            return self.text.encode()
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except OSError as error:
            raise CompileError(f"cannot read '{self.path}': {error.strerror}") from None

    def arguments(self):
        defines = [f"-D{name}" if value is None or value is True else f"-D{name}={value}"
                   for name, value in self.define.items()]
        return [*defines, *(f"-I{folder}" for folder in self.include),
                *(f"--instantiate={instance}" for instance in self.instantiate),
                *([f"--tuned={self.tuned}"] if self.tuned else [])]

    def with_instances(self, instances):
        """The same source with more instances."""
        return Source(self.path, self.text, [*self.instantiate, *instances], self.define, self.include, self.tuned)

    def with_tuned(self, database):
        """The same source with what tkc tune measured."""
        return Source(self.path, self.text, self.instantiate, self.define, self.include, database)

    def __reduce__(self):
        return Source, (self.path, self.text, self.instantiate, self.define, self.include, self.tuned)


def _diagnostic(entry):
    caret = next((place["caret"] for place in entry.get("locations", []) if "caret" in place), {})
    return Diagnostic(caret.get("file", ""), caret.get("line", 0), caret.get("column", 0), entry["kind"], entry["message"],
                      tuple(_diagnostic(child) for child in entry.get("children", [])))


def parse_diagnostics(text):
    """What -fdiagnostics-format=json printed; a crash prints something else, which becomes one error."""
    try:
        return [_diagnostic(entry) for line in text.splitlines() if line.startswith("[") for entry in json.loads(line)]
    except (ValueError, KeyError, TypeError):
        return [Diagnostic("", 0, 0, "error", text.strip())]


def run(source, kind, *options):
    """Emits one kind of output of a source. Its bytes, those of what stands beside it (the header of CUDA, the launch plans of
    device text), the diagnostics, and the files that were read."""
    with tempfile.TemporaryDirectory(prefix="tkc-") as folder:
        output = os.path.join(folder, source.stem + ("_reference.cpp" if kind == "reference" else ".cu"))
        read = os.path.join(folder, "read.d")
        beside = os.path.join(folder, source.stem + ".h")
        if kind == "device":
            options += ("--plan", beside)
        command = [locate.compiler(), source.path or "-", f"--emit={kind}", *source.arguments(), *options, "-o", output,
                   "-MD", "-MF", read, "-fdiagnostics-format=json"]
        done = subprocess.run(command, input=source.text.encode() if source.text is not None else b"", capture_output=True)
        said = parse_diagnostics(done.stderr.decode(errors="replace"))
        if done.returncode:
            texts = {STDIN_NAME: source.text} if source.text is not None else {}
            text = "\n".join(each.text(texts) for each in said) or f"tkc ended with status {done.returncode}"
            raise CompileError(text, said)
        with open(output, "rb") as file:
            made = file.read()
        extra = b""
        if os.path.exists(beside):
            with open(beside, "rb") as file:
                extra = file.read()
        with open(read, encoding="utf-8", errors="surrogateescape") as file:
            return made, extra, said, _dependencies(file.read())


def _dependencies(text):
    """Of a make rule: the files after the colon, without those of the runtime."""
    names = text.replace("\\\n", " ").split(": ", 1)[-1].replace("\\ ", "\0").split()
    runtime = os.path.realpath(locate.runtime())
    files = [name.replace("\0", " ").replace("$$", "$").replace("\\#", "#") for name in names]
    return sorted({os.path.abspath(name) for name in files
                   if os.path.isfile(name) and not os.path.realpath(name).startswith(runtime + os.sep)})
