"""The statements of a layer's program, read without running it: its tensors with their scales, its ops, its weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.interpreter.core import main_function, returned
from qconvert.ir import array_of, element_type, numpy_dtype, quantized, shape
from qconvert.support.arrays import Array
from qconvert.validation.figures.details import Histogram, Port, Role, Stated, StatedOp
from qconvert.validation.parameters.attributes import attributes_of
from qconvert.validation.parameters.constants import held_of
from qconvert.validation.parameters.operands import FORWARDING, RESCALE, factors_of, role_of
from qconvert.validation.parameters.operators import kind

_LEAST_LISTED = 16
"""The number of elements from which on a constant without scales is a tensor; smaller ones are facts of an op."""

_MOST_SHOWN = 4
"""The number of elements of a constant that are written out."""

_MOST_COUNTED = 1 << 24
"""The largest number of elements of a constant that are counted."""

_MOST_SCALES = 1 << 12
"""The largest number of scales of a tensor that are kept one by one."""

_BINS = 64
_LETTERS = 80


def stated(module: ModuleOp, inputs: Sequence[str], result: str) -> Stated:
    """Return what a module states of a layer, whose arguments are tensors named ``inputs``."""
    block = main_function(module).body.block
    ports = [_port(Role.INPUT, name, _read(value)) for name, value in zip(inputs, block.args, strict=True)]
    ops = [op for op in block.ops if not isinstance(op, ReturnOp)]
    ports += [_constant(op) for op in ops if _is_listed(op)]
    ports += [_port(Role.RESULT, result, value) for value in returned(module)]
    found = [StatedOp(kind(op), tuple(_facts(op))) for op in ops if held_of(op) is None and kind(op) not in _IMPLIED]
    return Stated(tuple(ports), tuple(found))


_IMPLIED = ("bitcast_convert", "uniform_dequantize", "const_shape")
"""The ops that only say how a tensor is read."""


def _read(value: SSAValue) -> SSAValue:
    """Return an argument as what it is read as: integers may get their scale by the op that reads them."""
    users = [use.operation for use in value.uses]
    return users[0].results[0] if users and kind(users[0]) == "bitcast_convert" else value


def _port(role: Role, name: str, value: SSAValue, elements: Histogram | None = None) -> Port:
    element = quantized(value)
    if element is None:
        return Port(role, name, str(numpy_dtype(element_type(value))), shape(value), elements=elements)
    scales, zero_points = element.scales, element.zero_points
    return Port(
        role,
        name,
        str(element.storage),
        shape(value),
        (float(scales.min()), float(scales.max())),
        (int(zero_points.min()), int(zero_points.max())),
        len(scales),
        element.quantization_dimension,
        tuple(map(float, scales)) if len(scales) <= _MOST_SCALES else (),
        elements,
    )


def _is_listed(op: Operation) -> bool:
    """Return True for a constant that is a tensor of the layer: it is read, and quantized or large."""
    held = held_of(op)
    if held is None or not op.results[0].uses or not isinstance(op.results[0].type, ShapedType):
        return False
    reader, place = _reader(op.results[0])
    is_factor = reader.name == RESCALE and place in (1, 2)
    return not is_factor and (quantized(op.results[0]) is not None or held.size >= _LEAST_LISTED)


def _constant(op: Operation) -> Port:
    held, value = held_of(op), op.results[0]
    assert held is not None
    is_counted = held.dtype.kind not in "fcb" and _LEAST_LISTED <= held.size <= _MOST_COUNTED
    elements = _histogram(array_of(held)) if is_counted else None
    return _port(Role.CONSTANT, role_of(*_reader(value)), value, elements)


def _reader(value: SSAValue) -> tuple[Operation, int]:
    """Return the op that computes with a constant, behind ops that only forward it, and the place of its operand."""
    use = next(iter(value.uses))
    while kind(use.operation) in FORWARDING and (uses := [*use.operation.results[0].uses]):
        use = uses[0]
    return use.operation, use.index


def _histogram(array: Array) -> Histogram:
    integers = array.astype(np.int64).reshape(-1)
    low, high = int(integers.min()), int(integers.max())
    width = -(-(high - low + 1) // _BINS)
    return Histogram(low, width, tuple(np.bincount((integers - low) // width).tolist()))


def _facts(op: Operation) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an op and its small constants, each with its name."""
    for name, text in attributes_of(op):
        yield name, text if len(text) <= _LETTERS else f"{text[:_LETTERS]}..."
    factors = factors_of(op)
    if factors is not None:
        yield "factor", _elements(factors)
    for place, operand in enumerate(op.operands):
        held = held_of(operand.owner) if isinstance(operand.owner, Operation) else None
        is_factor = factors is not None and place in (1, 2)
        if held is not None and not is_factor and held.size < _LEAST_LISTED and quantized(operand) is None:
            yield role_of(op, place), _elements(array_of(held))


def _elements(array: Array) -> str:
    """Return the elements of a small array, of others the least and the largest."""
    numbers = array.reshape(-1).tolist()
    texts = [f"{each:.6g}" if isinstance(each, float) else str(each) for each in numbers]
    if len(set(texts)) == 1:
        return texts[0]
    if len(texts) <= _MOST_SHOWN:
        return ", ".join(texts)
    return f"{texts[numbers.index(min(numbers))]} to {texts[numbers.index(max(numbers))]} ({len(texts)})"
