#!/usr/bin/env python3
"""hostile.py - Files that no parser likes: deep, endless, or explosive.

Each must end within seconds, with status 0 or 1, and with the message that belongs to it.
"""
import os
import subprocess
import sys

START = "kernel f(gl<bf16> A, int n) {\n  for (auto [i, j] : grid(n, n)) {\n    "
END = "\n  }\n}\n"


def body(text):
    return START + text + END


HOSTILE = {
    "not": (body("int x = " + "!" * 9000 + "n;"), None),
    "long statement": (body("int x = " + "!" * 20000 + "n;"), "this statement has more than 10000 tokens"),
    "sum": (body("int x = n" + " + n" * 4900 + ";"), None),
    "many tokens": (body("int x = n;" * 40000), "a source file may have 100000 tokens, this has more"),
    "parentheses": (body("int x = " + "(" * 5000 + "n;"), "bracket nesting level exceeded"),
    "blocks": (body("{" * 200 + "}" * 200), "nest more than 64 deep"),
    "else if": (body("if (n) ;" + "else if (n) ;" * 12000), "nest more than 64 deep"),
    "for": (body("for (int i = 0; i < n; ++i) " * 4000 + ";"), "nest more than 64 deep"),
    "pipelines": (body("for (int i : pipeline(n)) " * 900 + ";"), "nest more than 64 deep"),
    "macros": (
        "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(40)) + body("int x = n A0;"),
        "macros and included files make more than 1000000 tokens",
    ),
    "templates": (
        "template <int A, int B> struct F { static constexpr int v = F<A - 1, 2 * B>::v + F<A - 1, 2 * B + 1>::v; };\n"
        "template <int B> struct F<0, B> { static constexpr int v = 1; };\n" + body("int x = F<28, 1>::v;"),
        "more than 50000 instances of class, function and variable templates are made of this file; give more with --template-limit",
    ),
    "endless template": (
        "template <int A> struct F { static constexpr int v = F<A + 1>::v; };\n" + body("int x = F<0>::v;"),
        "recursive template instantiation exceeded maximum depth",
    ),
    "endless constant": (
        "constexpr int f() { for (;;) ; return 0; }\nconstexpr int x = f();\n" + body(""),
        "hit maximum step limit",
    ),
    "device": ('#include "/dev/zero"\n' + body(""), "cannot read '/dev/zero': it is not a regular file"),
    "itself": ('#include __FILE__\n' + body(""), "#include nested too deeply"),
}


def main():
    tkc, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failures = 0
    for name, (text, message) in HOSTILE.items():
        path = os.path.join(folder, name.replace(" ", "-") + ".tk")
        with open(path, "w") as file:
            file.write(text)
        try:
            done = subprocess.run([tkc, "--emit=tk", path], capture_output=True, text=True, timeout=180)
        except subprocess.TimeoutExpired:
            print(f"FAIL {name}: still running after 180 s")
            failures += 1
            continue
        expected = 1 if message else 0
        if done.returncode != expected or (message and (message not in done.stderr or done.stdout)):
            print(f"FAIL {name}: status {done.returncode}, should be {expected}: {done.stderr[:400]}")
            failures += 1
    print(f"{len(HOSTILE)} files, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
