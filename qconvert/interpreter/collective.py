"""Ops of several devices, of the host and of the order of effects: one device cannot evaluate them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from qconvert.dialects.families import defined
from qconvert.dialects.stablehlo import collective, tokens
from qconvert.interpreter.implementation import Array, implements
from qconvert.support.errors import ConversionError


@implements(*defined(Operation, collective))
def refuse_collective(op: Operation, operands: Sequence[Array]) -> Array:
    """Raise ConversionError."""
    raise ConversionError(
        "this op needs several devices, and the interpreter evaluates one",
        hint="Evaluate the program in a runtime that runs it on its devices",
    )


@implements(*defined(Operation, tokens))
def refuse_communication(op: Operation, operands: Sequence[Array]) -> Array:
    """Raise ConversionError."""
    raise ConversionError(
        "this op exchanges values with the host or another device, which the interpreter does not have",
        hint="Make the exchanged values arguments and results of @main",
    )
