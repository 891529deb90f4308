"""documented.py - Every function, type and constant of the language has a comment that an editor shows, and
stands in docs/language.md.

Reads Clang's tree of the header as tkc sees it, and prints what has none.
"""
import json
import os
import re
import subprocess
import sys

KINDS = (
    "FunctionDecl",
    "FunctionTemplateDecl",
    "ClassTemplateDecl",
    "CXXRecordDecl",
    "CXXMethodDecl",
    "CXXConstructorDecl",
    "TypeAliasDecl",
    "TypeAliasTemplateDecl",
    "ConceptDecl",
    "VarDecl",
)
# What a range-based for needs, and what is for the compiler alone.
PLAIN = {"begin", "end", "iterator", "detail", "tile_at"}
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "language.md")
OPERATIONS = ("FunctionDecl", "FunctionTemplateDecl", "VarDecl")  # what the page must name


def undocumented(node, path, missing, seen):
    """Adds the declarations below `node` that have no comment; counts those that have one."""
    for child in node.get("inner", []):
        name = child.get("name", "")
        if child.get("isImplicit") or child.get("access") == "private" or name in PLAIN:
            continue
        if "operator" in name and "has_no_size" in json.dumps(child):  # refusals, which no editor should offer
            continue
        if child["kind"] in KINDS and name and not name.startswith("operator ") and not child.get("previousDecl"):
            templated = node["kind"] in ("ClassTemplateDecl", "FunctionTemplateDecl", "TypeAliasTemplateDecl")
            if not templated and not child.get("explicitlyDefaulted"):
                if any(part["kind"] == "FullComment" for part in child.get("inner", [])):
                    seen.append((name, child["kind"]))
                else:
                    missing.append("::".join([*path, name]))
        if child["kind"] in ("NamespaceDecl", "CXXRecordDecl", "ClassTemplateDecl"):
            undocumented(child, path + [name] * (child["kind"] != "ClassTemplateDecl"), missing, seen)


def main():
    # Only the tree of namespace tk, one JSON value for each time it is opened.
    command = [*sys.argv[1:], "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=tk", "/dev/null"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    decoder, at, missing, seen = json.JSONDecoder(), 0, [], []
    while (at := text.find("{", at)) >= 0:
        node, at = decoder.raw_decode(text, at)
        if node["kind"] == "NamespaceDecl" and node.get("name") == "tk":
            undocumented(node, ["tk"], missing, seen)
    print(f"{len(seen)} documented, {len(missing)} not", *missing, sep="\n  ")
    with open(PAGE) as file:
        words = set(re.findall(r"\w+", file.read()))
    operations = {name for name, kind in seen if kind in OPERATIONS and not name.startswith("operator") and "<" not in name}
    unnamed = sorted(operations - words)
    print(f"{len(unnamed)} not in docs/language.md", *unnamed, sep="\n  ")
    return 1 if missing or unnamed or len(seen) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
