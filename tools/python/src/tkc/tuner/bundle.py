"""bundle.py - What `tkc tune prepare` writes: a zip that python3 runs, with plans, machine code and the runner in it.

    bundle.json    format, kernel, source and its hash, version, space, shapes, what was refused; the candidates with their plans
    N.cubin        of candidate N; helpers.cubin
    __main__.py, tkc/...   the runner
"""
import json
import zipfile

from ..errors import CompileError

FORMAT = 1


class Bundle:
    def __init__(self, path):
        self.path = path
        try:
            self.archive = zipfile.ZipFile(path)
            damaged = self.archive.testzip()
            if damaged:
                raise CompileError(f"{path} is damaged: the checksum of {damaged} is wrong; copy it again, or prepare it again")
            self.record = json.loads(self.archive.read("bundle.json"))
            if self.record["format"] != FORMAT:
                raise CompileError(f"{path} has format {self.record['format']} when this tkc reads {FORMAT}; prepare it again")
            self.function, self.candidates = self.record["function"], self.record["candidates"]
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError, NotImplementedError) as error:
            raise CompileError(f"{path} is no bundle of tkc tune, or it is damaged: {error}; prepare it again") from None

    def read(self, name):
        try:
            return self.archive.read(name)
        except (KeyError, zipfile.BadZipFile) as error:
            raise CompileError(f"{self.path} is damaged: {error}; prepare it again") from None
