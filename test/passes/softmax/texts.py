#!/usr/bin/env python3
"""texts.py - What tkc makes of texts that mean the same as attention.tk, or nearly the same.

Usage: texts.py TKC ATTENTION.TK [--only NAME] [--show | --print NAME]
Each text is the example with some lines written otherwise. Its report must say that every optimisation was made, or, where
one is lost, name it among what was not done, with the reason that stands here. `--show` prints what the report says.
"""
import argparse
import json
import re
import subprocess
import sys

# What tkc makes of the example itself. Two warpgroups of 128 columns do not gain from ping-pong, so that is not asked for.
EVERYTHING = {
    "split-masked-iterations": "the mask runs only in iterations",
    "row-sums-on-tensor-cores": "the MMA sums the rows of 'p'",
    "overlap-mmas": "the next iteration's first MMA",
    "promote-operands": "'q' is read into registers once",
    "conditional-rescale": "which partial row maxima tell",
    "speculative-rescale": "tell whether it must move",
}
LEAST_COMPLETE = 15

CHOICE = "top > best + .03f * slack ? top + slack : best"
NOW = f"map(row_max(s), best, [=](float top, float best) {{ return {CHOICE}; }})"
FROM = "auto from = map(now, [](float now) { return now == -inf ? 0.0f : now; });"
ALPHA = "auto alpha = exp2((best - from) * c);"
POWER = "s = exp2(sub_row(s, from) * c);"
SUMMED = "rt<float, BM, BN>(p)"
TOTAL = "total = total * alpha + row_sum(D < 256 ? rt<float, BM, BN>(p) : s);"
SCALED = "o = mul_row(o, alpha);"
WEIGHTS = "auto p = rt<bf16, BM, BN>(s);"
SCORES = "rt<float, BM, BN> s = mm_ABt(q, k);"

# The sink has the score 0, so its reference is the slack, from which its weight is 2^-88; it counts 64 times.
# name: (what is written instead of what, the instance, {what is lost: why})
TEXTS = {
    "as_it_is": ([], "attention<>", {}),
    "initial_value": ([(TOTAL, f"total = row_sum({SUMMED}, total * alpha);")], "attention<>", {}),
    "commuted": ([(TOTAL, f"total = row_sum({SUMMED}) + alpha * total;")], "attention<>", {}),
    "in_place": ([(TOTAL, f"total *= alpha; total += row_sum({SUMMED});"), (SCALED, "o *= alpha;")], "attention<>", {}),
    "rescaled_first": (
        [(SCALED, ""), (ALPHA, f"{ALPHA} {SCALED}"), (TOTAL, ""), ("mma_AB(o, p, v);", f"mma_AB(o, p, v); {TOTAL}")],
        "attention<>", {}),
    "inverted": ([(CHOICE, "top <= best + .03f * slack ? best : top + slack")], "attention<>", {}),
    "negated": ([(CHOICE, "!(best + .03f * slack < top) ? best : top + slack")], "attention<>", {}),
    "branch_in_lambda": (
        [(f"return {CHOICE};", "if (top > best + .03f * slack) return top + slack; return best;")], "attention<>", {}),
    "sink": ([("best = -inf, total = 0", "best = slack, total = 0x1p-82f")], "attention<>", {}),
    "scaled_first": (
        [(SCORES, f"{SCORES} s *= c;"), ("slack = 88 / c", "slack = 88"), (ALPHA, "auto alpha = exp2(best - from);"),
         (POWER, "s = exp2(sub_row(s, from));"), ("best * scale + log(total)", "best / log2e + log(total)")],
        "attention<>", {}),
    "base_e": (
        [(ALPHA, "auto alpha = exp((best - from) * scale);"), (POWER, "s = exp(sub_row(s, from) * scale);")],
        "attention<>", {}),
    "half": ([("bf16", "half")], "attention<>", {}),
    "heads_of_64": ([], "attention<64, false, 128, 128>", {}),
    "causal": ([], "attention<128, true>", {}),
    "bias": (
        [("float scale) {", "gl<float, -1> Bias, float scale) {"),
         (SCORES, f"{SCORES} row_vec<float, BN> bias = load(Bias, {{j}}); s = add_col(s, bias);")],
        "attention<64, false, 128, 64>", {}),
    "textbook": (
        [(NOW, "row_max(s, best)")], "attention<>",
        {"speculative-rescale": "the reference moves with every larger score"}),
    "unrounded": (
        [(TOTAL, "total = total * alpha + row_sum(s);")], "attention<>",
        {"row-sums-on-tensor-cores": "'total' does not sum the elements of 'p' as the MMA multiplies them"}),
    "dropout": (
        [(WEIGHTS, "auto p = rt<bf16, BM, BN>(mask(s, [=](int r, int n) { return (7 * r + 5 * n + j) % 10 != 0; }, 0));"),
         (TOTAL, "total = total * alpha + row_sum(s);")], "attention<>",
        {"row-sums-on-tensor-cores": "'total' does not sum the elements of 'p' as the MMA multiplies them",
         "speculative-rescale": "something reads the exponentials besides a sum"}),
}


def written(source, changes):
    """The example's kernel, with the changes made; each must change something."""
    text = re.sub(r"^instantiate.*$", "", source, flags=re.M)
    for old, new in changes:
        if old not in text:
            raise SystemExit(f"texts.py: the example has no '{old}'")
        text = text.replace(old, new)
    return text


def report(tkc, text, instance):
    run = subprocess.run([tkc, "-", "--emit=report-json", "--instantiate", instance, "-Wno-tk-perf"],
                         input=text, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    kernels = json.loads(run.stdout)
    return json.loads(run.stdout)["kernels"][-1]


def compare(found, lost):
    """What is wrong with a report, line by line."""
    done = {remark["pass"]: remark["text"] for remark in found["done"]}
    missed = {}
    for remark in found["not_done"]:
        missed.setdefault(remark["pass"], []).append(remark["text"])
    for name, words in EVERYTHING.items():
        is_done = words in done.get(name, "")
        if name not in lost:
            if not is_done:
                yield f"{name} is lost: {missed.get(name, done.get(name, 'nothing is said'))}"
            elif name in missed and name != "split-masked-iterations":
                yield f"{name} is done and not done: {missed[name]}"
        elif is_done:
            yield f"{name} is not lost any more"
        elif not any(lost[name] in text for text in missed.get(name, [])):
            yield f"{name} is lost without its reason: {missed.get(name, 'nothing is said')}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tkc")
    parser.add_argument("attention")
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--print", help="write this text, with a small instance 'text', and compile nothing")
    options = parser.parse_args()
    with open(options.attention) as file:
        source = file.read()
    if options.print:
        print(written(source, TEXTS[options.print][0]) + "instantiate(text, attention<64, false, 128, 64>);")
        return
    faults = 0
    for name, (changes, instance, lost) in TEXTS.items():
        if options.only not in (None, name):
            continue
        found = report(options.tkc, written(source, changes), instance)
        if options.show:
            for kind in ("done", "not_done"):
                for remark in found[kind]:
                    print(f"  {kind} {remark['line']}: {remark['pass']}: {remark['text']}")
        wrong = list(compare(found, lost))
        faults += len(wrong)
        print(f"{name}: " + ("; ".join(wrong) or ("as expected, without " + ", ".join(lost) if lost else "everything")))
    complete = sum(not lost for _, _, lost in TEXTS.values())
    if complete < LEAST_COMPLETE:
        faults += 1
        print(f"only {complete} of {len(TEXTS)} texts keep everything")
    if faults:
        sys.exit(1)
    print(f"{complete} of {len(TEXTS)} texts keep everything, and the others say what they lose")


if __name__ == "__main__":
    main()
