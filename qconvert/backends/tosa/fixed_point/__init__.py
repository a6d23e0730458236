"""Float ops between quantized values, computed in integers of 32 bits.

A float value is held as i32 integers times a scale that is chosen for it: it is as fine as the range of the value
allows. Ranges come from the storage of the quantized values in front (interval arithmetic). Sums, extremes and ops that
move elements share the scale of their result, so that the RESCALE in front of them is the only one. A product is MUL,
whose shift keeps 29 bits. A function of one value is a list of all results for 8 bits, else a polynomial of the second
degree on each of 512 intervals, whose coefficients are in TABLEs. A contraction by 8-bit constants multiplies integers
of 16 bits; a value that is finer is two of them.

Each value carries a bound on its error, in real numbers. The bound at the end, in LSB, is stated as the bound of the
layer: a result differs by at most 1 LSB, and only where the real value is closer to a tie than the bound.
"""

from __future__ import annotations

from qconvert.backends.tosa.fixed_point.fixed import FixedPoint

__all__ = ["FixedPoint"]
