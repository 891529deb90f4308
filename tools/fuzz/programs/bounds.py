"""bounds.py - What is known of a value before it is computed.

Two right results of one program need not be equal: the reference adds in one order, the kernel in
another, and the GPU's exponential is an approximation. How far they may be apart follows from the
program. Each value (all elements of a tile together) has

    lo, hi   the range of its elements
    unit     a power of two that divides them all, or None
    error    by how much a right result may differ from the true one

As long as the range is at most 2^24 units, float arithmetic is exact whatever the order, and the error
stays 0: such results are compared bit by bit. Everything starts as small integers (times a power of
two), so most programs stay exact for a while. Where a program computes an exponential or runs out of
bits, the error begins, and each later operation passes it on by the bound of its derivative.

A function here raises Unknown if it cannot promise a useful bound; the program is then not built.
"""
import math
from dataclasses import dataclass

FLOAT_BITS = 24
FLOAT_STEP = 2.0**-23  # twice the rounding of one operation: tensor cores and approximations truncate
APPROXIMATE = 2.0**-20  # of the GPU's rcp, rsqrt, sqrt, ex2, lg2: a few last places
COARSE = 2.0**-10  # of tanh.approx, which has 11 bits
LARGEST = 1e6  # beyond it a program says little
INF = math.inf

# Bits of precision, and the largest number.
FORMATS = {
    "float": (24, 3e38),
    "tf32": (11, 3e38),
    "bf16": (8, 3e38),
    "half": (11, 65504.0),
    "e4m3": (4, 448.0),
    "e5m2": (3, 57344.0),
    "int32": (32, 2.0**31 - 1),
    "int8": (8, 127.0),
}
SMALLEST = {"half": 2.0**-24, "e4m3": 2.0**-9, "e5m2": 2.0**-16}
INTEGERS = ("int32", "int8")


class Unknown(Exception):
    """No useful bound."""


@dataclass(frozen=True)
class Bound:
    lo: float
    hi: float
    unit: float | None = None
    error: float = 0.0

    @property
    def largest(self):
        return max(abs(self.lo), abs(self.hi))

    @property
    def finite(self):
        return self.lo > -INF and self.hi < INF

    def holds(self, other):
        """Whether everything known of `other` is within this."""
        unit = self.unit is None or (other.unit is not None and other.unit % self.unit == 0)
        return self.lo <= other.lo and other.hi <= self.hi and unit and other.error <= self.error


def number(value):
    """The bound of a constant."""
    if abs(value) == INF:
        return Bound(value, value, 1.0)
    unit = 1.0
    while value % unit and unit > 2.0**-20:
        unit /= 2
    return Bound(value, value, unit if value % unit == 0 else None)


def need(condition, why):
    if not condition:
        raise Unknown(why)


def finite(*bounds):
    for bound in bounds:
        need(bound.finite, "infinite")


def exact(*bounds):
    for bound in bounds:
        need(bound.error == 0, "a decision on an inexact value")


def common(a, b):
    """The unit of a value that may be either."""
    return None if a.unit is None or b.unit is None else min(a.unit, b.unit)


def rounded(lo, hi, unit, error, steps=1):
    """A float result: exact if its units say so, else off by `steps` roundings more."""
    largest = max(abs(lo), abs(hi))
    need(largest <= LARGEST, "large")
    if error == 0 and unit is not None and largest <= unit * 2**FLOAT_BITS:
        return Bound(lo, hi, unit, 0.0)
    error += steps * largest * FLOAT_STEP
    need(error <= 0.05 * largest, "noise")
    return Bound(lo, hi, None, error)


def join(a, b):
    return Bound(min(a.lo, b.lo), max(a.hi, b.hi), common(a, b), max(a.error, b.error))


def add(a, b):
    finite(a, b)
    return rounded(a.lo + b.lo, a.hi + b.hi, common(a, b), a.error + b.error)


def neg(a):
    return Bound(-a.hi, -a.lo, a.unit, a.error)


def sub(a, b):
    return add(a, neg(b))


def mul(a, b):
    finite(a, b)
    ends = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    unit = None if a.unit is None or b.unit is None else a.unit * b.unit
    error = a.largest * b.error + b.largest * a.error + a.error * b.error
    return rounded(min(ends), max(ends), unit, error)


def fma(a, b, c):
    return add(mul(a, b), c)


def square(a):
    result = mul(a, a)
    return Bound(0.0, result.hi, result.unit, result.error)


def div(a, b):
    finite(a, b)
    least = 0.0 if b.lo <= 0 <= b.hi else min(abs(b.lo), abs(b.hi)) - b.error
    need(least > 2.0**-4, "a division by little")
    ends = [x / y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    largest = max(map(abs, ends))
    return rounded(min(ends), max(ends), None, (a.error + largest * b.error) / least + largest * APPROXIMATE)


def larger(a, b):
    return Bound(max(a.lo, b.lo), max(a.hi, b.hi), common(a, b), max(a.error, b.error))


def smaller(a, b):
    return Bound(min(a.lo, b.lo), min(a.hi, b.hi), common(a, b), max(a.error, b.error))


def absolute(a):
    least = 0.0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
    return Bound(least, a.largest, a.unit, a.error)


def relu(a):
    return larger(a, number(0))


def floor(a):
    finite(a)
    exact(a)
    return Bound(math.floor(a.lo), math.floor(a.hi), 1.0, 0.0)


def exp(a, base=math.e):
    need(a.hi * math.log(base) < 12, "a large exponential")
    least = max(a.lo, -1000.0)
    top = math.exp(a.hi * math.log(base))
    # The GPU has 2^x: the argument is multiplied by log2(e) first, and rounded.
    slope = top * math.log(base)
    error = slope * a.error * 2 + top * APPROXIMATE + slope * max(abs(least), abs(a.hi)) * FLOAT_STEP
    error = min(error, top)
    return rounded(0.0 if a.lo < -80 else math.exp(a.lo * math.log(base)), top, None, error)


def exp2(a):
    return exp(a, 2.0)


def log(a):
    finite(a)
    least = a.lo - a.error
    need(least > 2.0**-6, "a logarithm of little")
    lo, hi = math.log(a.lo), math.log(a.hi)
    return rounded(lo, hi, None, a.error / least + APPROXIMATE * (2 + max(abs(lo), abs(hi))))


def log2(a):
    natural = log(a)
    scale = 1 / math.log(2)
    return rounded(natural.lo * scale, natural.hi * scale, None, 2 * natural.error)


def sqrt(a):
    finite(a)
    need(a.lo >= 0 and (a.error == 0 or a.lo > 4 * a.error), "a root of little")
    error = a.error / (2 * math.sqrt(a.lo - a.error)) if a.error else 0.0
    return rounded(math.sqrt(a.lo), math.sqrt(a.hi), None, error + math.sqrt(a.hi) * APPROXIMATE)


def rcp(a):
    return div(number(1), a)


def rsqrt(a):
    return rcp(sqrt(a))


def bounded(slope, lo, hi, noise):
    """A function between lo and hi whose derivative is at most `slope`."""

    def bound(a):
        finite(a)
        need(a.largest <= 64, "large")
        return Bound(lo, hi, None, slope * a.error + noise)

    return bound


tanh = bounded(1.0, -1.0, 1.0, COARSE)
sin = bounded(1.0, -1.0, 1.0, 2.0**-14)
cos = bounded(1.0, -1.0, 1.0, 2.0**-14)
erf = bounded(1.2, -1.0, 1.0, 2.0**-18)


def gate(noise):
    """gelu and its like: between 0 and x, but for a dip below zero."""

    def bound(a):
        finite(a)
        need(a.largest <= 64, "large")
        return Bound(min(a.lo, 0.0) and -0.3, max(a.hi, 0.0), None, 1.2 * a.error + noise * (1 + a.largest))

    return bound


gelu, gelu_tanh, silu = gate(2.0**-17), gate(COARSE), gate(2.0**-17)


def total(a, count):
    """The sum of `count` elements in any order."""
    finite(a)
    return rounded(a.lo * count, a.hi * count, a.unit, a.error * count, count)


def matmul(acc, a, b, count, operand_error=0.0):
    """acc plus `count` products of two elements."""
    one = mul(a, b)
    return add(acc, total(one, count))


def integer(result):
    """A result of integer arithmetic, which must not overflow."""
    need(result.error == 0 and result.unit is not None and result.unit >= 1, "no integer")
    return result


def stored(a, element):
    """A value converted to an element type, rounded once (to integers: towards zero)."""
    bits, top = FORMATS[element]
    if element in INTEGERS:
        finite(a)
        exact(a)
        need(a.largest < 2.0**31, "large")
        inside = lambda x: float(math.trunc(min(max(x, -top - 1), top)))
        return Bound(inside(a.lo), inside(a.hi), 1.0, 0.0)
    if not a.finite:
        need(element in ("float", "bf16", "half"), "infinite")
        return a
    if element == "float":
        return a
    need(element not in ("half",) or a.largest < top / 2, "overflow")
    lo, hi = max(a.lo, -top), min(a.hi, top)
    if a.error == 0 and a.unit is not None and a.largest <= a.unit * 2**bits and a.unit >= SMALLEST.get(element, 0):
        return a
    widen = 1 + 2.0**-bits
    # What is equal before rounding is equal after; what differs may fall to either side.
    error = a.error and a.error + a.largest * 2.0**-bits + SMALLEST.get(element, 0.0)
    return Bound(lo * widen if lo < 0 else lo / widen, hi * widen if hi > 0 else hi / widen, a.unit, error)
