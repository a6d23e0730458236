"""Two constants compared: scales, zero points, integers and the reals that they stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from qconvert.ir import ElementsAttr, Held, UniformQuantizedType, array_of, is_one_element, quantized, reshaped
from qconvert.validation.parameters.operators import WIDE
from qconvert.validation.parameters.unequal import Unequal, exchanged, order_between, unequal
from qconvert.validation.parameters.words import against, by_channel, listed, times

UNSIGNED = "tensors are held as unsigned integers in one file and as signed ones in the other"
REQUANTIZED = "constants are requantized: other integers of another scale or zero point stand for the same numbers"


_MOST_REQUANTIZED = 1 << 22
"""The largest number of integers that are compared as the numbers that they stand for."""


class Fact(NamedTuple):
    """A parameter that differs, and how; ``is_form`` is True if the same numbers may be written in another way."""

    parameter: str
    text: str
    is_form: bool = False


def held_of(op: Operation) -> Held | None:
    """Return the elements of a constant op of any dialect, None for other ops."""
    if hasattr(op, "held"):
        found: Held = op.held
        return found
    values = op.properties.get("values", op.properties.get("value"))
    return values.held if isinstance(values, ElementsAttr) else None


def type_facts(
    prefix: str, first: UniformQuantizedType | None, second: UniformQuantizedType | None, purposes: Counter[str]
) -> Iterator[Fact]:
    """Yield how quantized types differ; the sign of the storage is counted as changed on purpose."""
    if first is None or second is None:
        if first is not second:
            texts = ["not quantized" if each is None else str(each.storage) for each in (first, second)]
            yield Fact(f"{prefix}type", " against ".join(texts), is_form=True)
        return
    if first == second:
        return
    scales = by_channel("scale", _single(first.scales), _single(second.scales))
    if scales is not None:
        yield Fact(f"{prefix}scale", scales)
    points = by_channel("zero point", *(_from_least(element) for element in (first, second)))
    if points is not None:
        yield Fact(f"{prefix}zero point", _points(first, second))
    one, other = first.storage, second.storage
    if one.width != other.width:
        yield Fact(f"{prefix}storage", f"{one} against {other}")
    elif _range(first) != _range(second):
        yield Fact(f"{prefix}range", f"{one.minimum}..{one.maximum} against {other.minimum}..{other.maximum}")
    elif one.signed != other.signed:
        purposes[UNSIGNED] += 1


def _single(scales: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scales as files hold them, in float32: products of scales may have more digits in text."""
    return scales.astype(np.float32).astype(np.float64)


def _scales_along(element: UniformQuantizedType | None) -> object:
    """Return the dimension along which scales differ, or the sizes of blocks by dimension; None for one scale."""
    if element is None or len(set(element.scales.tolist())) == 1:
        return None
    return element.quantization_dimension if element.is_per_axis else dict(element.data.block_sizes)


def _least(element: UniformQuantizedType) -> int:
    return 0 if not element.storage.signed else -(1 << (element.storage.width - 1))


def _from_least(element: UniformQuantizedType) -> NDArray[np.float64]:
    return (element.zero_points - _least(element)).astype(np.float64)


def _range(element: UniformQuantizedType) -> tuple[int, int]:
    return element.storage.minimum - _least(element), element.storage.maximum - _least(element)


def _points(first: UniformQuantizedType, second: UniformQuantizedType) -> str:
    """Return how zero points differ, both as the first type holds them."""
    moved = second.zero_points - _least(second) + _least(first)
    return by_channel("zero point", first.zero_points.astype(np.float64), moved.astype(np.float64)) or ""


def constant_facts(
    role: str,
    first: Operation,
    second: Operation,
    purposes: Counter[str],
    *,
    derived: bool = False,
    axis: int | None = None,
) -> Iterator[Fact]:
    """Yield how two constants differ.

    ``derived`` is True for a bias whose scale is that of the sum it is added to: such a scale is no parameter. ``axis``
    is the dimension of the channels.
    """
    one, other = held_of(first), held_of(second)
    if one is None or other is None:
        if first.properties != second.properties:
            yield Fact(role, f"{first.name} against {second.name}")
        return
    mine, theirs = quantized(first.results[0]), quantized(second.results[0])
    if _are_requantized(one, other, mine, theirs, least_width=0 if derived else WIDE):
        purposes[REQUANTIZED] += 1
        return
    if not derived:
        yield from type_facts(f"{role} ", mine, theirs, purposes)
        if one.shape == other.shape and _scales_along(mine) != _scales_along(theirs):
            yield Fact(f"{role} dimension of scales", f"{_scales_along(mine)} against {_scales_along(theirs)}")
    offset = 0 if mine is None or theirs is None else _least(theirs) - _least(mine)
    same_width = mine is None or theirs is None or mine.storage.width == theirs.storage.width
    axis = next((each.quantization_dimension for each in (mine, theirs) if each and each.is_per_axis), axis)
    yield from _element_facts(role, one, other, offset if same_width else 0, axis, mine)


def _are_requantized(
    one: Held,
    other: Held,
    first: UniformQuantizedType | None,
    second: UniformQuantizedType | None,
    *,
    least_width: int,
) -> bool:
    """Return True for integers of other scales or zero points that stand for the same numbers, up to half an LSB."""
    if first is None or second is None or one.shape != other.shape or one.size > _MOST_REQUANTIZED:
        return False
    if min(first.storage.width, second.storage.width) < least_width:
        return False
    if np.array_equal(_single(first.scales), _single(second.scales)) and np.array_equal(
        _from_least(first), _from_least(second)
    ):
        return False
    numbers = []
    for held, element in ((one, first), (other, second)):
        points, scales = (element.broadcast(flat, tuple(held.shape)) for flat in (element.zero_points, element.scales))
        numbers.append((array_of(held).astype(np.float64) - points) * scales)
    steps = [element.broadcast(element.scales, tuple(one.shape)) for element in (first, second)]
    return bool((np.abs(numbers[0] - numbers[1]) <= np.maximum(*steps) / 2).all())


def _element_facts(
    role: str, one: Held, other: Held, offset: int, axis: int | None, element: UniformQuantizedType | None
) -> Iterator[Fact]:
    """Yield how the elements of two constants differ."""
    if (one.dtype.kind in "iu") != (other.dtype.kind in "iu"):
        yield Fact(role, f"{one.dtype} against {other.dtype}", is_form=True)
        return
    sizes = [[size for size in held.shape if size != 1] for held in (one, other)]
    if one.shape != other.shape and sizes[0] == sizes[1]:
        one, other, axis = reshaped(one, sizes[0]), reshaped(other, sizes[0]), None
    if one.shape != other.shape:
        text = _of_other_shape(one, other, offset)
        if text:
            yield Fact(role, text)
        return
    found = unequal(one, other, offset)
    if not found.count:
        return
    order = order_between(one, other, offset)
    if order is not None:
        yield Fact(role, f"transposed: equal in the order {list(order)} of dimensions")
        return
    channels = [] if axis is None else found.indices(axis)
    if axis is not None and exchanged(one, other, found, axis, offset):
        yield Fact(role, f"the slices of channels {listed(channels)} are exchanged")
        return
    where = _where(found) if axis is None else _of_channels(channels)
    yield Fact(role, _counted(found, where, element, offset))


def _of_channels(channels: list[int]) -> str:
    return f", all in channel {channels[0]}" if len(channels) == 1 else f", in channels {listed(channels)}"


def _where(found: Unequal) -> str:
    """Return the one index along a dimension at which all elements differ, if there is one and others do not."""
    single = [axis for axis, size in enumerate(found.shape) if size > 1 and len(found.indices(axis)) == 1]
    if len(single) != 1 or found.count == 1:
        return ""
    return f", all at index {found.indices(single[0])[0]} of dimension {single[0]}"


def _of_other_shape(one: Held, other: Held, offset: int) -> str:
    """Return how constants of different shapes differ; empty if both repeat one equal element."""
    singles = [held for held in (one, other) if held.size == 1 or is_one_element(held)]
    if len(singles) == 2:
        a, b = (float(array_of(held).reshape(-1)[0]) for held in (one, other))
        return "" if a + offset == b else against(a + offset, b)
    order = order_between(one, other, offset)
    moved = "" if order is None else f", equal in the order {list(order)} of dimensions"
    return f"shape {list(one.shape)} against {list(other.shape)}{moved}"


def _counted(found: Unequal, where: str, element: UniformQuantizedType | None, offset: int) -> str:
    """Return the number of elements that differ, where they are, and the first of them."""
    is_integer = isinstance(found.values[0], int)
    one, other = (float(value) for value in found.values)
    text = f"{int(one)} against {int(other)}" if is_integer else f"{against(one, other)}{times(one, other)}"
    if element is not None and is_integer:
        reals = [_real(value, element, found) for value in (one - offset, other - offset)]
        text += f" ({reals[0]:.6g} against {reals[1]:.6g})"
    if found.is_uniform:
        return text
    kind = "integers" if is_integer else "numbers"
    return f"{found.count:,} of {found.size:,} {kind} differ{where}; at {list(found.first)}: {text}"


def _real(integer: float, element: UniformQuantizedType, found: Unequal) -> float:
    """Return the number that an integer stands for at the first place that differs."""
    scale, point = (
        element.broadcast(flat, found.shape)[_place(element.broadcast(flat, found.shape).shape, found.first)]
        for flat in (element.scales, element.zero_points)
    )
    return (integer - float(point)) * float(scale)


def _place(shape: tuple[int, ...], index: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of an element among parameters, which have size 1 where they repeat, or no dimension."""
    return tuple(min(place, size - 1) for place, size in zip(index, shape, strict=False))
