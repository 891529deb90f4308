"""Every wait, fence and barrier that tk-insert-waits puts in is needed.

Runs the pipeline on IR files, then deletes each of those ops one after the other, or weakens a wait by one group, and
expects tk-verify-stages to find a hazard each time. A survivor is either a wait too many or a hazard that
the analysis does not see.
"""
import re
import subprocess
import sys

PIPELINE = """--tk-distribute --tk-insert-pipeline --tk-assign-variables --tk-insert-waits --tk-allocate-shared
--tk-allocate-registers""".split()
COVERING = re.compile(r"hopper\.(wait_wgmma|wait_stores_read|wait_grid|fence|sync|commit)")
STRICT_WAIT = re.compile(r"(wait_wgmma|wait_stores_read) 0")


def mutants(lines):
    for index, line in enumerate(lines):
        if COVERING.search(line):
            yield f"without line {index + 1}: {line.strip()}", lines[:index] + lines[index + 1 :]
        if STRICT_WAIT.search(line):
            weaker = STRICT_WAIT.sub(r"\1 1", line)
            yield f"weaker in line {index + 1}: {line.strip()}", lines[:index] + [weaker] + lines[index + 1 :]


def main(tk_opt, *paths):
    count = survivors = 0
    for path in paths:
        text = subprocess.run([tk_opt, path, *PIPELINE], capture_output=True, text=True, check=True).stdout
        for name, mutant in mutants(text.split("\n")):
            run = subprocess.run(
                [tk_opt, "--tk-verify-stages", "-o", "/dev/null"], input="\n".join(mutant), capture_output=True, text=True
            )
            count += 1
            if "a hazard is left" not in run.stderr:
                survivors += 1
                print("survives", path, name)
    print(f"{count} mutants, {survivors} survive")
    return 1 if survivors or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
