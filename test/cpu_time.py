"""cpu_time.py - lit's format of shell tests, which can note the CPU time of each test.

    lit --param cpu-times=FILE build/test

Wall time depends on what else runs; user and system time of a test and of all that it started hardly does. FILE gets a line
a test, as in test/.lit_test_times.txt, from which lit takes the order of a first run: the longest first.
"""
import os
import resource

import lit.formats


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class ShTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        # Each of lit's workers is a process of its own that runs one test at a time.
        start = children_seconds()
        result = super().execute(test, lit_config)
        file = lit_config.params.get("cpu-times")
        if file:
            line = f"{children_seconds() - start:.2f} {'/'.join(test.path_in_suite)}\n"
            with open(file, "a") as times:
                times.write(line)
        return result
