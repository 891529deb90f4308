#!/usr/bin/env python3
"""hostile_strings.py - Strings from outside never become code.

Hostile strings (line breaks, quotes, ends of comments, bytes that are no UTF-8, ...) are put where tkc and tk-translate take
strings: names of files, #line, -D, --instantiate, comments of the source, and every string and symbol of IR. The emitted
text is read by a lexer that knows no mercy (trigraphs, spliced lines, \\r): its code must be that of a run with harmless
strings in the same places, up to the names of variables. A refusal with a message is right too.

  tools/fuzz/hostile_strings.py --count 200 --seed 7
  tools/fuzz/hostile_strings.py --seconds 600
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(os.environ.get("TKC_BUILD", ROOT / "build")) / "bin"

FRAGMENTS = [b"\n", b"\r", b"\r\n", b"\t", b"\v", b"\f", b"\x7f", b"\\", b"\\\n", b"\\ \n", b"??/", b"??/\n", b'"', b"'", b"*/", b"/*",
             b"//", b'\n#include "evil.h"\n', b"\nint evil;\n", b'"); evil(); ("', b"; evil();", b"*/ evil(); /*", b"\n#pragma evil\n",
             b'R"(', b")\"", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\xc2\x85", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"%s%n", b"%0", b"$(evil)",
             b"`evil`", b"<", b">", b" ", b" \\", b"evil", b"__evil", b"int", b"kernel", b"a" * 150, b"??'", b"::", b"{", b"}", b"(", b")",
             b",", b"#", b"##", b"@"]  # fmt: skip


def hostile(rng):
    return b"".join(rng.choice(FRAGMENTS) for _ in range(rng.randint(1, 4)))


# Lexing ---------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"""(?P<include>\#[ ]*include[ ]*<(?:/[^>\n]*)>) | (?P<space>[ \t\v\f\n]+) | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<string>[LuU8]*R"\w*\(.*?\)\w*"|"(?:\\.|[^"\\\n])*")
      | (?P<char>'(?:\\.|[^'\\\n])*') | (?P<name>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*) | (?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)  # fmt: skip


def code_of(text, knows_trigraphs):
    """The tokens that are code; strings are all alike, names are numbered as they come."""
    text = text.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")
    if knows_trigraphs:
        text = text.replace("??/", "\\").replace("??'", "^")
    text = re.sub(r"\\[ \t\v\f]*\n", "", text)
    tokens, numbers = [], {}
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "space" and "\n" in token and tokens and tokens[-1] != "newline":
            tokens.append("newline")  # where a directive ends
        elif kind == "include":  # of a file whose name has a quote
            tokens += ["#", f"name {numbers.setdefault('include', len(numbers))}", "string"]
        elif kind == "string":
            tokens.append("string")
        elif kind == "name":
            tokens.append(f"name {numbers.setdefault(token, len(numbers))}")
        elif kind in ("char", "number", "other"):
            tokens.append(token)
    # Long names change where lists are broken; only lines that begin with '#' are more than space.
    lines, line = [], []
    for token in tokens + ["newline"]:
        if token != "newline":
            line.append(token)
            continue
        if line[:1] == ["#"] or not lines or lines[-1][:1] == ["#"]:
            lines.append(line)
        else:
            lines[-1] += line
        line = []
    return [line for line in lines if line]


def difference(text, benign):
    for knows_trigraphs in (False, True):
        a, b = code_of(text, knows_trigraphs), code_of(benign, knows_trigraphs)
        if a != b:
            index = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            place = a[index : index + 1], b[index : index + 1]
            return f"code differs (trigraphs {knows_trigraphs}): {str(place[0])[:300]} when it should be {str(place[1])[:300]}"
    return None


# Places ---------------------------------------------------------------------------------------------------------------


def run(command, folder, text=None):
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def file_name(string, rng):
    name = string.replace(b"/", b"|").replace(b"\0", b"")[:80]
    return name if name not in (b"", b".", b"..") else b"x"


class Tkc:
    """A source whose names and comments are hostile; what is emitted for it."""

    SOURCE = b"""#include "%(header)s"
// %(comment)s
template <int BM = 64, int BN = 64, int BK = 64>
kernel gemm(gl<bf16> A, gl<bf16> B, gl<bf16> C) {
#line 100 "%(line)s"
  for (auto [m, n] : grid(cdiv(C.rows(), BM), cdiv(C.cols(), BN))) { /* %(comment)s */
    rt<float, BM, BN> acc = 0;
    for (int k : pipeline(cdiv(A.cols(), BK))) {
      st<bf16, BM, BK> a = load(A, {m, k}); /* %(comment)s */
      st<bf16, BN, BK> b = load(B, {n, k});
      mma_ABt(acc, a, b);
    }
    acc = scaled(acc); /* %(comment)s */
    store(C, {m, n}, acc);
  }
}
"""
    HEADER = b"template <typename T> T scaled(T x) {\n  return x * FACTOR; // %(comment)s\n}\n"

    def __init__(self):
        self.benign = {}

    def files(self, strings, folder):
        """Writes the source; the command, and the outputs that it makes."""
        comment = strings["comment"].replace(b"*/", b"* /").replace(b"\n", b" ").replace(b"\r", b" ").replace(b"/*", b"/ *")
        line = strings["line"].replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n").replace(b"\r", b"\\r")
        header = re.sub(rb'["\n\r\\]', b"_", strings["header"])
        in_line = comment.replace(b"\\", b"|").replace(b"??/", b"???")  # there a line comment, whose end must stay the line's
        with open(os.path.join(os.fsencode(folder), header), "wb") as file:
            file.write(self.HEADER % {b"comment": in_line})
        values = {b"header": header, b"comment": comment, b"line": line}
        with open(os.path.join(os.fsencode(folder), strings["source"]), "wb") as file:
            file.write(self.SOURCE.replace(b"// %(comment)s", b"// " + in_line.replace(b"%", b"%%")) % values)

    def check(self, rng):
        strings = {name: name.encode() for name in ("source", "output", "header", "comment", "line", "instance", "define")}
        strings["kind"] = rng.choice([b"cuda", b"cuda", b"reference", b"header"])
        benign = self.emit(strings)[0]
        if not benign:
            return None, "the harmless source is refused"
        changed = rng.sample(["source", "output", "header", "comment", "line", "instance", "define"], rng.choice([1, 1, 2, 3]))
        for name in changed:
            string = hostile(rng)
            strings[name] = file_name(string, rng) if name in ("source", "output", "header") else string
        outputs, problem = self.emit(strings)
        described = {name: strings[name] for name in changed}
        if problem or not outputs:
            return described, problem
        if set(outputs) != set(benign):
            return described, f"outputs {sorted(outputs)} when they should be {sorted(benign)}"
        for kind, text in outputs.items():
            if found := difference(text, benign[kind]):
                return described, f"{kind}: {found}"
        return described, None

    def emit(self, strings):
        """The outputs by their kind, none after a refusal; a problem, or none."""
        key = tuple(sorted(strings.items()))
        if key in self.benign:
            return self.benign[key], None
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            os.mkdir(out)
            self.files(strings, folder)
            define = b"UNUSED=" + strings["define"].replace(b"\0", b"")
            instance = strings["instance"].replace(b"\0", b"")
            command = [TOOLS / "tkc", b"./" + strings["source"], b"-D", define, b"-D", b"FACTOR=2.0f", b"-MD", b"-MF", b"out/rule.d",
                       b"-o", b"out/" + strings["output"] + b".cu", b"--emit=" + strings["kind"]]  # fmt: skip
            if instance != b"instance":
                command.append(b"--instantiate=" + instance)
            status, _, errors = run(command, folder)
            outputs = {}
            for name in os.listdir(os.fsencode(out)):
                with open(os.path.join(os.fsencode(out), name), "rb") as file:
                    outputs["rule" if name == b"rule.d" else name[-2:].decode("latin-1")] = file.read()
        if status not in (0, 1) or b"internal error: tkc" in errors or b"LLVM ERROR" in errors:
            return {}, f"status {status}: {errors[-600:]}"
        if status == 1 and (outputs or b"error:" not in errors):
            return {}, f"a refusal leaves {sorted(outputs)} and says {errors[:200]}"
        rule = outputs.pop("rule", b"")
        if status == 0 and re.search(rb"(?<!\\)\n.", rule):
            return {}, f"the rule has another line: {rule}"
        if all(strings[name] == name.encode() for name in strings if name != "kind"):
            self.benign[key] = outputs
        return outputs, None


class Translate:
    """IR whose strings and symbols are hostile; what is printed for it."""

    STRING = re.compile(rb'@?"(?:\\.|[^"\\])*"')
    SYMBOL = re.compile(rb"@[A-Za-z_]\w*")

    def __init__(self):
        self.modules = []
        for name in ("gemm", "attention", "gemm_splitk", "layernorm"):
            source = str(ROOT / "dsl-examples" / f"{name}.tk")
            for stage, flags in (("hopper", ["--hopper-to-cuda", "--hopper-to-header"]), ("tk", ["--tk-to-reference"])):
                status, text, errors = run([TOOLS / "tkc", source, f"--emit={stage}"], ROOT)
                assert status == 0, errors
                status, text, errors = run([TOOLS / "tk-opt", "--mlir-print-debuginfo"], ROOT, text)
                assert status == 0, errors
                self.modules += [(text, flag) for flag in flags]

    def check(self, rng):
        text, flag = rng.choice(self.modules)
        strings = sorted(set(self.STRING.findall(text)))
        symbols = sorted(set(self.SYMBOL.findall(text)))
        changed = rng.choice(strings if rng.random() < 0.85 or not symbols else symbols)
        word = changed[1:] if changed.startswith(b"@") else changed[1:-1]
        string = hostile(rng)
        if rng.random() < 0.3:
            string = word + string
        escaped = b"".join(bytes([c]) if chr(c).isalnum() and c < 128 or c == 32 else b"\\%02X" % c for c in string)
        described = {"flag": flag, "place": changed, "string": string}
        if changed.startswith(b"@"):
            benign, replaced = (re.sub(re.escape(changed) + rb"\b", lambda _: new, text) for new in (b"@benign", b'@"' + escaped + b'"'))
        else:
            benign, replaced = (text.replace(changed, b'"' + new + b'"') for new in (b"benign", escaped))
        status, emitted, errors = run([TOOLS / "tk-translate", flag], ROOT, replaced)
        if status not in (0, 1):
            return described, f"status {status}: {errors[-600:]}"
        if status == 1:
            if emitted or b"error:" not in errors:
                return described, f"a refusal prints {emitted[:200]} and says {errors[:200]}"
            return described, None
        status, harmless, errors = run([TOOLS / "tk-translate", flag], ROOT, benign)
        if status != 0:  # an attribute that is no text: the original stands for it
            status, harmless, errors = run([TOOLS / "tk-translate", flag], ROOT, text)
        return described, difference(emitted, harmless)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=0, help="checks; default: until --seconds are over")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    kinds = [Tkc(), Translate()]
    start, number, problems = time.time(), 0, 0
    while number < options.count if options.count else time.time() - start < options.seconds:
        rng = random.Random(f"{options.seed} {number}")
        kind = kinds[number % 2]
        described, problem = kind.check(rng)
        if problem:
            problems += 1
            print(f"FAIL seed {options.seed}, check {number}, {type(kind).__name__}: {described}\n  {problem}", flush=True)
        number += 1
    print(f"{number} checks, {problems} problems, {time.time() - start:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
