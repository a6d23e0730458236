"""Ops of several devices, of the host and of the order of effects: one device on its own gives them no value."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from qconvert.dialects.stablehlo.collective import DEVICES
from qconvert.dialects.stablehlo.tokens import EFFECTS
from qconvert.interpreter.implementation import Array, implements
from qconvert.support.errors import ConversionError


@implements(*DEVICES)
def refuse_collective(op: Operation, operands: Sequence[Array]) -> Array:
    """Raises ConversionError."""
    raise ConversionError(
        "this op needs all devices of a program, and the interpreter is one",
        hint="Evaluate the program in a runtime that runs it on its devices",
    )


@implements(*EFFECTS)
def refuse_communication(op: Operation, operands: Sequence[Array]) -> Array:
    """Raises ConversionError."""
    raise ConversionError(
        "this op is about exchanges with the host or another device, and the interpreter has neither",
        hint="Give what is exchanged as arguments and results of @main",
    )
