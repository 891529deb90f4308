"""search.py - Finds the fastest candidate of each shape: all are checked and timed briefly, the best in bursts, in turn, by
successive halving. What was measured goes to a journal beside the output, from which a run that was killed goes on."""
import datetime
import json
import math
import os
import statistics
import time
from dataclasses import dataclass

from ..errors import CompileError
from . import database, fit
from .expressions import predicted_cycles, values_of
from .shapes import Shape
from .worker import Failed, Lost

QUICK_LIMIT = 1.2  # of the best brief time: worth bursts
HALVINGS = ((3, 1.15, 8), (2, 1.05, 5), (2, 1.03, 4), (2, 1.02, 3), (3, 1.01, 2))  # bursts, times of the best, candidates
NOISE = 0.003  # what is less than this faster than the default is not faster


class Journal:
    """Lines of JSON: what a run that was killed has measured."""

    def __init__(self, path, key):
        self.path, self.records = path, []
        header = {"format": database.FORMAT, "key": list(key)}
        try:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    try:
                        self.records.append(json.loads(line))
                    except ValueError:
                        break  # the end of what was written when it was killed
        except OSError:
            pass
        if self.records[:1] != [header]:
            self.records = [header]
        self.file = open(path + ".new", "w", encoding="utf-8")
        for record in self.records:
            self.file.write(json.dumps(record) + "\n")
        self.file.flush()
        os.replace(path + ".new", path)

    def add(self, **record):
        self.records.append(record)
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def of(self, **fields):
        return [record for record in self.records if all(record.get(name) == value for name, value in fields.items())]

    def remove(self):
        self.file.close()
        os.unlink(self.path)


@dataclass
class Limits:
    seconds: float  # of the GPU, for all shapes
    timeout: float = 20  # seconds after which a candidate hangs
    bursts: int = 0  # if not 0, of every candidate
    idle: float = 0.12  # seconds before each burst
    numbers: set = None  # of the candidates that are measured; all without it


class Search:
    def __init__(self, bundle, worker, output, progress, limits, shapes=None):
        self.bundle, self.worker, self.output, self.progress, self.limits = bundle, worker, output, progress, limits
        self.shapes = [Shape(bundle.function, given) for given in (shapes or bundle.record["shapes"])]
        facts = worker.ask("facts", timeout=60)
        self.sms = facts["sms"]
        self.entry = self._new_entry(facts)
        self.others = self._earlier_entries()
        self.journal = Journal(output + ".part", database.key_of(self.entry))
        self.bad = {record["candidate"]: record["why"] for record in self.journal.of(what="bad")}
        self.wrong = {record["candidate"] for record in self.journal.of(what="bad", wrong=True)}
        self.end = time.monotonic() + limits.seconds

    def _new_entry(self, facts):
        record = self.bundle.record
        return {"kernel": record["kernel"], "source": record["source"], "source_hash": record["source_hash"], "tkc": record["tkc"],
                "device": facts["device"], "sms": facts["sms"], "date": datetime.date.today().isoformat(), "space": record["space"],
                "instances": [{"function": each["function"], "parameters": each["parameters"],
                               "efficiency": each["plan"]["cost"].get("efficiency", 100),
                               "source_efficiency": each["plan"]["cost"].get("efficiency", 100)} for each in self.bundle.candidates],
                "own": record["own"], "fixed": self.bundle.candidates[0]["plan"]["cost"]["launch"]["fill_and_drain"],
                "kept": [], "shapes": [], "refused": list(record["refused"])}

    def _earlier_entries(self):
        """Those of the output that stay; the measured shapes of the same key go on."""
        if not os.path.exists(self.output):
            return []
        others = []
        for entry in database.read(self.output):
            if database.key_of(entry) == database.key_of(self.entry) and entry["space"] == self.entry["space"]:
                self.entry["shapes"] = entry["shapes"]
            elif entry["kernel"] == self.entry["kernel"] and entry["device"] != self.entry["device"]:
                raise CompileError(f"'{self.output}' has measurements of {entry['kernel']} on {entry['device']} when this GPU is "
                                   f"{self.entry['device']}; write to another file and merge them")
            elif database.key_of(entry) != database.key_of(self.entry):
                others.append(entry)
        return others

    # One shape.

    def _values(self, shape):
        return [values_of(each["plan"], self.bundle.function["arguments"], shape.extents, shape.scalars)
                for each in self.bundle.candidates]

    def _exclude(self, number, why, is_wrong=False):
        self.bad[number] = why
        if is_wrong:
            self.wrong.add(number)
        self.journal.add(what="bad", candidate=number, why=why, wrong=is_wrong)
        self.progress.say(f"{self.bundle.candidates[number]['function']}: {why}; it is left out")

    def _open(self, shape):
        self.worker.ask("open", shape.as_json(), timeout=self.limits.timeout + 40)
        self.worker.ask("reference", 0, timeout=self.limits.timeout)

    def _try(self, shape, number, what, *more):
        """The reply; None if the candidate was excluded, and the process is ready for the next one."""
        try:
            return self.worker.ask(what, number, *more, timeout=self.limits.timeout)
        except (Lost, Failed) as error:
            self._exclude(number, str(error))
            self._open(shape)
            return None

    def _brief(self, shape, order, is_late):
        """Brief times of the candidates that are right."""
        key, times = shape.key(), {}
        for record in self.journal.of(what="quick", shape=key):
            times[record["candidate"]] = record["ms"]
        for number in order:
            if number in times or number in self.bad or (len(times) >= 4 and is_late() and not self.limits.bursts):
                continue
            reply = self._try(shape, number, "check")
            if reply is None:
                continue
            if reply["problem"]:
                self._exclude(number, f"wrong for {shape.text()}: {reply['problem']}", is_wrong=True)
                continue
            reply = self._try(shape, number, "quick")
            if reply:
                times[number] = reply["ms"]
                self.journal.add(what="quick", shape=key, candidate=number, ms=reply["ms"])
        return {number: ms for number, ms in times.items() if number not in self.bad}

    def _bursts(self, shape, finalists, default, is_late):
        key, samples = shape.key(), {number: [] for number in finalists}
        for record in self.journal.of(what="burst", shape=key):
            samples.setdefault(record["candidate"], []).append(record["ms"])
        alive = list(finalists)
        whole = ((self.limits.bursts, math.inf, len(finalists)),)
        for rounds, limit, most in whole if self.limits.bursts else HALVINGS:
            for _ in range(rounds):
                for number in alive:
                    reply = self._try(shape, number, "burst", self.limits.idle) if number not in self.bad else None
                    if reply:
                        samples[number].append(reply["ms"])
                        self.journal.add(what="burst", shape=key, candidate=number, ms=reply["ms"])
                alive = [number for number in alive if number not in self.bad]
                if is_late() and all(len(samples[number]) >= 2 for number in alive) and not self.limits.bursts:
                    break
            if not alive:
                break
            medians = {number: statistics.median(samples[number]) for number in alive}
            best = min(medians.values())
            ranked = sorted((number for number in alive if medians[number] <= best * limit), key=medians.get)[:most]
            alive = ranked if default not in alive or default in ranked else [*ranked, default]
            if is_late() or len(alive) < 2:
                break
        return {number: times for number, times in samples.items() if times and number not in self.bad}

    def _measure(self, shape, seconds):
        values = self._values(shape)
        cycles = [predicted_cycles(each["plan"], value, self.sms) for each, value in zip(self.bundle.candidates, values)]
        own = range(self.bundle.record["own"])
        default = min(own, key=lambda number: (cycles[number], number))
        measured = range(len(cycles)) if self.limits.numbers is None else self.limits.numbers
        order = [default, *sorted((number for number in measured if number != default), key=cycles.__getitem__)]
        start = time.monotonic()
        try:
            self._open(shape)
        except (Lost, Failed) as error:
            return {"why": f"the default instance does not run: {error}"}
        brief = self._brief(shape, order, lambda: time.monotonic() - start > 0.45 * seconds)
        if default not in brief:
            return {"why": f"the default does not run: {self.bad.get(default, 'it was not measured')}"}
        best = min(brief.values())
        ranked = sorted(brief, key=brief.get)
        finalists = ranked if self.limits.bursts else [number for number in ranked if brief[number] <= best * QUICK_LIMIT][:8]
        if default not in finalists:
            finalists.append(default)
        samples = self._bursts(shape, finalists, default, lambda: time.monotonic() - start > seconds)
        medians = {number: statistics.median(times) for number, times in samples.items()}
        ranked = sorted(medians, key=medians.get)
        winner = ranked[0] if medians[ranked[0]] < medians[default] * (1 - NOISE) else default
        again = self._try(shape, winner, "check")
        if not again or again["problem"]:
            if again:
                self._exclude(winner, f"wrong after timing for {shape.text()}: {again['problem']}", is_wrong=True)
            winner = default
        others = [number for number in ranked if number != winner]
        # Brief times are of another regime of power: they count relative to the default's.
        scale = medians[default] / brief[default]
        times = {number: ms * scale for number, ms in brief.items()} | medians
        return {"arguments": shape.as_json(), "best": winner, "ms": medians[winner], "default": default,
                "default_ms": medians[default], "runner_up": others[0] if others else None,
                "runner_up_ms": medians[others[0]] if others else None,
                "spread": (max(samples[winner]) - min(samples[winner])) / medians[winner],
                "trials": sum(map(len, samples.values())) + len(brief),
                "times": {str(number): round(ms, 6) for number, ms in sorted(times.items())},
                "cycles": {str(number): round(cycles[number]) for number in sorted(times)}}

    # All of them.

    def _save(self, end=fit.keep_winners):
        end(self.entry)
        refused = list(self.bundle.record["refused"])
        refused += [{"function": self.bundle.candidates[number]["function"], "why": why} for number, why in sorted(self.bad.items())]
        self.entry["refused"] = refused
        database.write(self.output, [*self.others, self.entry])

    def run(self):
        """The exit status."""
        known = {json.dumps(shape["arguments"], sort_keys=True) for shape in self.entry["shapes"]}
        left = [shape for shape in self.shapes if json.dumps(shape.as_json(), sort_keys=True) not in known]
        total, failures = len(self.shapes), 0
        if len(left) < total:
            self.progress.say(f"{total - len(left)} of {total} shapes are measured already")
        for number, shape in enumerate(left):
            self.progress.show(total - len(left) + number, total, shape.text())
            remaining = self.end - time.monotonic()
            if remaining <= 0 and number:
                self.progress.say(f"the time is over: {len(left) - number} shapes are not measured; run it again to go on")
                self.worker.close()
                if self.entry["shapes"]:
                    self._save(fit.finish)
                return 1
            row = self._measure(shape, max(remaining, 1) / (len(left) - number))
            if "why" in row:
                self.progress.say(f"{shape.text()}: {row['why']}")
                failures += 1
                continue
            self.entry["shapes"].append(row)
            self._save()
            best = self.bundle.candidates[row["best"]]["function"]
            self.progress.say(f"{shape.text()}: {row['ms']:.4f} ms, default {row['default_ms']:.4f} "
                              f"({100 * (row['default_ms'] / row['ms'] - 1):+.1f} %), {best}")
        self.worker.close()
        if failures == total:
            raise CompileError("no shape could be measured")
        self._save(fit.finish)
        self.progress.say(f"{self.entry['kernel']} on {self.entry['device']}: {fit.gain(self.entry):.3f} times as fast as the default "
                          f"(geometric mean of {len(self.entry['shapes'])} shapes), {self.output}")
        self.journal.remove()
        for candidate in sorted(self.wrong):
            self.progress.say(f"{self.bundle.candidates[candidate]['function']} computes something else: {self.bad[candidate]}")
        return 1 if self.wrong or failures else 0
