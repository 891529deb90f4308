"""compare.py - When a bf16 matmul is right.

The truth is numpy in float64 on the same bf16 inputs; it is exact for our purposes. A right result
differs from it for two reasons, and each has a bound:

  rounding to bf16     bf16 has 8 significant bits, so rounding moves a value c by at most 2^-8 |c|.
  fp32 accumulation    a matmul of two bf16 is exact in fp32; each of the K additions is off by at
                       most 2^-23 of the partial sum, which is at most (|A| |B|)[i, j]. (IEEE rounding
                       would give 2^-24; the tensor cores truncate, which gives twice that.)

So |C - AB| <= 2^-8 |AB| + K 2^-23 |A||B| holds for every element of every right result, with no
statistics in it. With inputs of magnitude 1 and K = 600 the second term is 0.03, so one matmul that
is missing or counted twice is seen in most elements. For long K it is loose (5 at K = 8192, where
elements are 90), so the norm over the matrix is compared too, for which errors of addition of either
sign cancel and grow with the root of K: ||C - AB|| <= 2^-8 ||AB|| + sqrt(K) 2^-23 || |A||B| ||. At
K = 8192 that is 0.0045 ||AB||; one missing k-tile of 64 makes an error of 0.09 ||AB||.
"""
from dataclasses import dataclass

import numpy as np

BF16_ROUNDING = 2.0**-8
FP32_STEP = 2.0**-23


@dataclass
class Comparison:
    worst: float  # largest error, in units of what is allowed there
    largest: float  # largest error
    norm: float  # the norm of all errors
    problem: str  # empty if the result is right


class Matmul:
    """The true C = A B of two bf16 matrices (given as float32), and what a result may differ by."""

    def __init__(self, a, b):
        a, b = a.astype(np.float64), b.astype(np.float64)
        self.truth = a @ b
        k, magnitude = a.shape[1], np.abs(a) @ np.abs(b)
        self.allowed = BF16_ROUNDING * np.abs(self.truth) + k * FP32_STEP * magnitude
        self.norm = float(np.linalg.norm(self.truth))
        self.allowed_norm = BF16_ROUNDING * self.norm + k**0.5 * FP32_STEP * np.linalg.norm(magnitude)

    def compare(self, result):
        result = result.astype(np.float64)
        error = np.abs(result - self.truth)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(error == 0, 0.0, error / self.allowed)
        norm = np.linalg.norm(error)
        wrong = ~(ratio <= 1)  # a NaN is wrong too
        problem = ""
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            problem = (
                f"{np.count_nonzero(wrong)} of {wrong.size} elements are wrong, the first at "
                f"[{i}, {j}]: {result[i, j]:.6g} when it should be {self.truth[i, j]:.6g} "
                f"+- {self.allowed[i, j]:.2g}"
            )
        elif not norm <= self.allowed_norm:
            problem = (
                f"the error's norm is {norm:.3g} when {self.allowed_norm:.3g} is allowed "
                f"(the result's is {self.norm:.3g})"
            )
        return Comparison(float(ratio.max()), float(error.max()), float(norm), problem)
