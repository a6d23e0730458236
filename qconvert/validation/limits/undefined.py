"""Elements without one right value: casts to integers that cannot hold a float, divisions by 0, floats beyond 16 bits.

ONNX leaves such a cast undefined (Cast: "in-range" values only), as C++ does in LiteRT's kernels; StableHLO's is
implementation-defined. So is a division of integers by 0, and LiteRT's kernels divide quantized numbers as integers. An
element follows from one if it changes with what the op is taken to give.

Runtimes may hold a float16 or bfloat16 between ops in float32, as onnxruntime's CPU kernels do: what overflows in one
of them is a number in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType, bf16, f16
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.elementwise import ComparisonDirection
from qconvert.interpreter import Program
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import (
    UniformQuantizedType,
    element_type,
    i1,
    is_float,
    node_names,
    numpy_dtype,
    quantized,
    shape,
    storage_element,
)
from qconvert.support.arrays import Array
from qconvert.validation.figures.metrics import difference
from qconvert.validation.limits.bisect import return_values

Mask: TypeAlias = NDArray[np.bool_]


class UndefinedResults:
    """The casts and divisions of a module, and what follows from those of a sample that are not defined."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._programs: list[Program] = []

    def __bool__(self) -> bool:
        """Return True if the module casts floats to integers, or divides integers."""
        return any(_is_cast(op) or _divides(op) for op in self._module.walk())

    def masks(self, arrays: Sequence[Array]) -> list[Mask]:
        """Return, for each result of a sample, the elements that follow from an undefined result."""
        if not self._programs:
            self._programs = [Program(_with_other_results(self._module, part)) for part in _PARTS]
        first, *others = ([np.asarray(result) for result in program.run(arrays)] for program in self._programs)
        return [
            np.logical_or.reduce([difference(result, other[i]) != 0 for other in others])
            for i, result in enumerate(first)
        ]


_PARTS = (0.0, 1.0, 0.4)
"""The results that undefined ops are taken to give: the least and the largest integer of their type, one between."""


class Overflows:
    """The floats of 16 bits of a module, and the results that are a number only where they are held in wider ones."""

    def __init__(self, module: ModuleOp) -> None:
        self._copy = module.clone()
        results = returned(self._copy)
        inner = [op.results[0] for op in main_function(self._copy).body.block.ops if op.results and _is_half(op)]
        self._owners = [value.owner for value in inner]
        self._count = len(results)
        return_values(self._copy, {str(i): value for i, value in enumerate([*results, *inner])})

    def __bool__(self) -> bool:
        """Return True if the module has floats of 16 bits."""
        return bool(self._owners)

    def masks(self, arrays: Sequence[Array], reference: Sequence[Array]) -> tuple[list[Mask], str]:
        """Return, for each result, the elements that are finite in one of the two only, and what overflows first."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = [np.asarray(each) for each in Program(self._copy).run(arrays)]
        masks = [
            (_finite(result) != _finite(wanted)).reshape(result.shape)
            for result, wanted in zip(found[: self._count], reference, strict=True)
        ]
        inner = zip(self._owners, found[self._count :], strict=True)
        return masks, next((_described(op) for op, array in inner if not _finite(array).all()), "")


def _finite(array: Array) -> Mask:
    if array.dtype.kind in "iub":
        return np.ones(array.shape, np.bool_)
    return np.asarray(np.isfinite(array.astype(np.float64)))


def _is_half(op: Operation) -> bool:
    return isinstance(op.results[0].type, TensorType) and element_type(op.results[0]) in (f16, bf16)


def _described(op: Operation | Block) -> str:
    assert isinstance(op, Operation)
    return f"node '{node_names(op.location)[-1]}'" if node_names(op.location) else op.name


def compared(found: Array, reference: Array, mask: Mask) -> Array:
    """Return an array that agrees with the reference where nothing is defined."""
    return np.where(mask, reference.reshape(found.shape), found).astype(found.dtype)


UNDEFINED = "they follow from casts of floats to integers that cannot hold them, or from divisions by 0: undefined"


def overflow(what: str) -> str:
    """Return why elements are not compared where something overflows."""
    return f"{what} overflows 16 bits, and runtimes may hold such floats in float32, as onnxruntime does"


def _is_cast(op: Operation) -> bool:
    if not isinstance(op, stablehlo.ConvertOp) or not is_float(element_type(op.operand)):
        return False
    element = element_type(op.result)
    return isinstance(element, IntegerType) and element != i1


def _divides(op: Operation) -> TypeGuard[stablehlo.DivideOp]:
    if not isinstance(op, stablehlo.DivideOp):
        return False
    element = quantized(op.rhs)
    return element.is_per_tensor if element is not None else isinstance(element_type(op.rhs), IntegerType)


def _with_other_results(module: ModuleOp, part: float) -> ModuleOp:
    """Return a copy in which undefined ops give an integer at some part of the range of their type."""
    copy = module.clone()
    for op in [*copy.walk()]:
        if not (_is_cast(op) or _divides(op)):
            continue
        tests, undefined = _beyond(op) if _is_cast(op) else _by_zero(op)
        element, result = element_type(op.results[0]), op.clone()
        low, high = _range(element)
        array = np.full(shape(op.results[0]), low + int(part * (high - low)), _storage(element))
        other = stablehlo.ConstantOp.of(array, element)
        chosen = stablehlo.SelectOp(undefined, other.output, result.results[0])
        Rewriter.insert_op([*tests, other, result, chosen], InsertPoint.before(op))
        Rewriter.replace_op(op, [], [chosen.result])
    return copy


def _beyond(op: Operation) -> tuple[list[Operation], SSAValue]:
    """Return ops that tell which floats a cast's integers cannot hold."""
    real = element_type(op.operands[0])
    low, high = _bounds(np.iinfo(_storage(element_type(op.results[0])).str), numpy_dtype(real))
    least, largest = (stablehlo.ConstantOp.of(np.asarray(bound), real) for bound in (low, high))
    inside = stablehlo.ClampOp(least.output, op.operands[0], largest.output)
    outside = stablehlo.CompareOp(op.operands[0], inside.result, ComparisonDirection.NE)
    return [least, largest, inside, outside], outside.result


def _by_zero(op: Operation) -> tuple[list[Operation], SSAValue]:
    """Return ops that tell which divisors are 0."""
    divisor = op.operands[1]
    element, known = element_type(divisor), quantized(divisor)
    zero = 0 if known is None else known.zero_point
    zeros = stablehlo.ConstantOp.of(np.full(shape(divisor), zero, _storage(element)), element)
    equal = stablehlo.CompareOp(divisor, zeros.output, ComparisonDirection.EQ)
    return [zeros, equal], equal.result


def _range(element: Attribute) -> tuple[int, int]:
    if isinstance(element, UniformQuantizedType):
        return element.storage.minimum, element.storage.maximum
    info: np.iinfo[Any] = np.iinfo(_storage(element).str)
    return int(info.min), int(info.max)


def _storage(element: Attribute) -> np.dtype[Any]:
    return numpy_dtype(storage_element(element))


def _bounds(info: np.iinfo[Any], real: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the least and the largest float whose truncation an integer type holds."""
    with np.errstate(over="ignore"):
        below, above = np.asarray(int(info.min) - 1).astype(real), np.asarray(int(info.max) + 1).astype(real)
    low = np.nextafter(below, real.type(np.inf)) if float(below) <= int(info.min) - 1 else below
    high = np.nextafter(above, real.type(-np.inf))
    return np.asarray(low, real), np.asarray(high, real)


@dataclass(frozen=True)
class LeftOut:
    """The elements of each output of a sample that are not compared, and why."""

    masks: list[Mask]
    why: str = ""


def left_out(
    module: ModuleOp, inputs: Sequence[Sequence[Array]], reference: Sequence[Sequence[Array]]
) -> list[LeftOut]:
    """Return what of each sample is not compared; empty for a module without such ops and floats."""
    casts, halves = UndefinedResults(module), Overflows(module)
    found: list[LeftOut] = []
    for arrays, wanted in zip(inputs, reference, strict=True) if casts or halves else ():
        masks, why = casts.masks(arrays) if casts else [np.zeros(each.shape, np.bool_) for each in wanted], UNDEFINED
        if halves:
            others, what = halves.masks(arrays, wanted)
            if any(mask.any() for mask in others):
                masks, why = [a | b for a, b in zip(masks, others, strict=True)], overflow(what)
        found.append(LeftOut(masks, why))
    return found
