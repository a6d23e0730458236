"""Inverses and inverse square roots in TOSA's integers: the errors that ``backends/tosa/inverse.py`` states."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.ir import Block

from qconvert.backends.tosa.inverse import FRACTION_BITS, INVERSE_BITS, ROOT_BITS, inverse, inverse_root
from qconvert.backends.tosa.lowering import Lowering
from qconvert.backends.tosa.options import HalfRounding
from qconvert.ir import i32, tensor_type
from qconvert.rewriting.prover import results
from tests.support.onnx_cases import Array

ONE = 1 << FRACTION_BITS


def fractions(least: float) -> Array:
    """Return all multiples of 2^-16, with random bits behind them, and the ends."""
    rng = np.random.default_rng(0)
    multiples = np.arange(int(least * ONE), ONE, 1 << 15)
    ends = int(least * ONE) + np.arange(100), ONE - 1 - np.arange(100)
    return np.concatenate([*ends, multiples, (multiples + rng.integers(1 << 15, size=multiples.size))]).astype(np.int32)


@pytest.mark.parametrize(
    ("function", "power", "bits", "least", "error"),
    [(inverse, -1, INVERSE_BITS, 1 / 2, 2.0**-27), (inverse_root, -0.5, ROOT_BITS, 1 / 16, 2.0**-24.5)],
)
def test_the_error_is_within_the_bound(function: object, power: float, bits: int, least: float, error: float) -> None:
    given = fractions(least)
    arguments, lower = Block(arg_types=[tensor_type(i32, given.shape)]), Lowering(HalfRounding.UP)
    assert callable(function)
    found = results(arguments, lower.ops, function(lower, arguments.args[0]), [given]) * 2.0**-bits
    expected = (given / ONE) ** power
    assert np.abs(found / expected - 1).max() < error


def test_a_root_below_the_domain_does_not_overflow() -> None:
    given = np.arange(0, ONE // 16, 997, dtype=np.int32)
    arguments, lower = Block(arg_types=[tensor_type(i32, given.shape)]), Lowering(HalfRounding.UP)
    found = results(arguments, lower.ops, inverse_root(lower, arguments.args[0]), [given])
    assert found.min() >= 4 * (1 << ROOT_BITS) * (1 - 2.0**-12)
