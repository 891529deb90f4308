"""results.py - Adds up test reports: N passed, N failed, N skipped.

Usage: python3 -m tkc_run.results REPORT.xml...
Each report is in JUnit's XML form, which lit and ctest write. Prints every failure by name, every
reason for which tests were skipped, then the sum as the last line; exits 1 if a test failed or a
report holds no tests.
"""
import collections
import os
import sys
import xml.etree.ElementTree as xml

# lit's word for a missing feature, and what it means to a reader.
MEANINGS = {
    "gpu": "they need a Hopper GPU and nvcc, and this machine has not both",
    "nvcc": "they need nvcc, and there is none",
    "ci": "they go deeper where others begin; tools/check --ci runs them, and so does continuous integration",
    "long": "they take minutes; tools/check --long runs them",
}


def explain(reason):
    word = reason.rpartition("Missing required feature(s): ")[2]
    return MEANINGS.get(word, reason)


def read(path):
    """Yields (name, outcome, reason) for each test of a report."""
    for case in xml.parse(path).iter("testcase"):
        name = "/".join(part for part in (case.get("classname"), case.get("name")) if part)
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed", ""
        elif skipped is not None or case.get("status") in ("disabled", "notrun"):
            yield name, "skipped", (skipped.get("message") if skipped is not None else "") or "not run"
        else:
            yield name, "passed", ""


def main():
    counts, reasons, problems = collections.Counter(), collections.Counter(), []
    for path in sys.argv[1:]:
        try:
            cases = list(read(path))
        except (OSError, xml.ParseError) as error:
            problems.append(f"{path} cannot be read: {error}")
            cases = []
        else:
            if not cases:
                problems.append(f"{os.path.basename(path)} holds no tests")
        for name, outcome, reason in cases:
            counts[outcome] += 1
            if outcome == "skipped":
                reasons[explain(reason)] += 1
            elif outcome == "failed":
                print(f"failed: {name}")
    for reason, count in reasons.items():
        print(f"skipped: {count} {'test' if count == 1 else 'tests'}: {reason}")
    for problem in problems:
        print(f"failed: {problem}")
    failed = counts["failed"] + len(problems)
    print(f"{counts['passed']} passed, {failed} failed, {counts['skipped']} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
