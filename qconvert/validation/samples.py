"""Samples to run a model on: arrays from a file, or random ones over the range of the model's quantizers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count as endless
from itertools import islice
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.interpreter.core import main_function
from qconvert.ir import IMPLIED, ElementsAttr, Tensor, UniformQuantizedType, numpy_dtype, quantized, shape, tensor
from qconvert.support.errors import UsageError

Array: TypeAlias = NDArray[Any]
Sample: TypeAlias = dict[str, Array]

_NUMBERED = re.compile(r"in_([0-9]{1,9})/(.+)")


def arguments(module: ModuleOp, names: Sequence[str]) -> dict[str, BlockArgument]:
    """Return the arguments of ``@main`` by their names in the source."""
    return dict(zip(names, main_function(module).body.block.args, strict=True))


def given_samples(arrays: Mapping[str, Array], inputs: Mapping[str, BlockArgument]) -> list[Sample]:
    """Return samples from the arrays of an .npz file; arrays that are not inputs (labels) are ignored.

    An array of the input's shape is one sample; one with a longer first dimension, or one more dimension, is several.
    ``in_<i>/<input>`` is an input of sample i; ``in0``, ``in1`` .. with ``in_names`` are stacks of samples. Raises
    UsageError for an input without an array or with one that does not fit.
    """
    named = _by_name(arrays)
    missing = [name for name in inputs if name not in named]
    if missing:
        raise UsageError(f"the file has no array for input {', '.join(missing)}; it has {', '.join(arrays)}")
    stacks = {name: _stack(name, named[name], tensor(argument)) for name, argument in inputs.items()}
    counts = {len(stack) for stack in stacks.values()}
    if len(counts) != 1:
        raise UsageError(f"the inputs have different numbers of samples: {sorted(counts)}")
    if counts == {0}:
        raise UsageError("the file has no samples")
    return [{name: stack[i] for name, stack in stacks.items()} for i in range(counts.pop())]


def _by_name(arrays: Mapping[str, Array]) -> dict[str, Array]:
    if "in_names" in arrays:
        names = arrays["in_names"].reshape(-1)
        return {str(name): arrays[f"in{i}"] for i, name in enumerate(names) if f"in{i}" in arrays}
    numbered: dict[str, dict[int, Array]] = {}
    for key, array in arrays.items():
        match = _NUMBERED.fullmatch(key)
        if match:
            numbered.setdefault(match[2], {})[int(match[1])] = array
    if not numbered:
        return dict(arrays)
    return {name: _stacked(name, [parts[i] for i in sorted(parts)]) for name, parts in numbered.items()}


def _stacked(name: str, parts: list[Array]) -> Array:
    if len({part.shape for part in parts}) > 1:
        raise UsageError(f"the samples of input '{name}' have different shapes")
    return np.stack(parts)


def _stack(name: str, array: Array, type: Tensor) -> list[Array]:
    shape, dtype = type.get_shape(), numpy_dtype(type.element_type)
    if array.dtype != dtype:
        raise UsageError(f"input '{name}' takes {dtype}, the file has {array.dtype}")
    if array.shape == shape:
        return [array]
    if array.ndim and array.shape[0] == 0:
        return []
    if array.shape[1:] == shape:
        return list(array)
    if shape and array.shape[1:] == shape[1:] and shape[0] > 0 and array.shape[0] % shape[0] == 0:
        return np.split(array, array.shape[0] // shape[0])
    raise UsageError(f"input '{name}' takes {list(shape)}, the file has {list(array.shape)}")


class InOrder:
    """Samples without end by their numbers; samples that are asked for in rising order are drawn once."""

    def __init__(self, draw: Callable[[int], Iterator[Sample]]) -> None:
        """``draw`` gives the samples from a number on."""
        self._draw = draw
        self._next, self._rest = 0, iter(list[Sample]())

    def __call__(self, numbers: range) -> list[Sample]:
        """Return the samples of a range of numbers."""
        if not 0 < self._next <= numbers.start:
            self._next, self._rest = numbers.start, self._draw(numbers.start)
        found = list(islice(self._rest, numbers.start - self._next, numbers.stop - self._next))
        self._next = numbers.stop
        return found


def random_samples(inputs: Mapping[str, BlockArgument], count: int, seed: int, first: int = 0) -> list[Sample]:
    """Draw samples with a seed: floats over the range of their first quantizer, integers over their storage.

    Those before the ``first`` of ``count`` are left out; the others are the same as with them.
    """
    return list(islice(drawn_samples(inputs, seed, first), count - first))


def drawn_samples(inputs: Mapping[str, BlockArgument], seed: int, first: int = 0) -> Iterator[Sample]:
    """Draw samples without end as :func:`random_samples` does, from the ``first`` on."""
    rng = np.random.default_rng(seed)
    left_out = first
    if all(_is_drawn_as_floats(argument) for argument in inputs.values()):
        elements = sum(prod(tensor(argument).get_shape()) for argument in inputs.values())
        rng = np.random.Generator(np.random.PCG64(seed).advance(first * elements))  # a float takes one number
        left_out = 0
    drawn = ({name: _draw(argument, rng) for name, argument in inputs.items()} for _ in endless())
    return islice(drawn, left_out, None)


def _is_drawn_as_floats(argument: BlockArgument) -> bool:
    plain = _implied(argument) is None and quantized(argument) is None
    return plain and numpy_dtype(tensor(argument).element_type).kind not in "iub"


def _draw(argument: BlockArgument, rng: np.random.Generator) -> Array:
    implied = _implied(argument)
    if implied is not None:
        return implied
    type = tensor(argument)
    dtype, shape = numpy_dtype(type.element_type), type.get_shape()
    element = quantized(argument)
    if element is not None:
        return rng.integers(element.storage.minimum, element.storage.maximum, shape, endpoint=True).astype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.kind in "iu":
        # wider integers are mostly indices and sizes
        lowest, highest = _BYTES.get(str(dtype), (0, 127))
        rows = _rows(argument)
        if rows is not None:
            lowest, highest = max(lowest, 0), min(highest, max(0, rows - 1))
        return rng.integers(lowest, highest, shape, endpoint=True).astype(dtype)
    low, high = _range(argument)
    return rng.uniform(low, high, shape).astype(dtype)


def _implied(argument: BlockArgument) -> Array | None:
    """Return the only value of an input that the shapes in the source allow, or None."""
    function = argument.block.parent_op()
    known = None if function is None else function.attributes.get(IMPLIED)
    found = known.data.get(str(argument.index)) if isinstance(known, DictionaryAttr) else None
    return found.array if isinstance(found, ElementsAttr) else None


def _rows(argument: BlockArgument) -> int | None:
    """Return the number of rows that an input of indices may choose from, None if it chooses none."""
    found: list[int] = []
    values: list[SSAValue] = [argument]
    for value in values:  # grows
        for use in value.uses:
            op = use.operation
            if isinstance(op, stablehlo.GatherOp):
                if use.index == 1:
                    found += [shape(op.operands[0])[axis] for axis in op.dimension_numbers.data.start_index_map]
            elif _keeps_indices(op):
                values += [result for result in op.results if result not in values]
    return min(found, default=None)


def _keeps_indices(op: Operation) -> bool:
    """Return True if an op makes integers, maybe indices in another form, of integers."""
    return bool(op.results) and all(
        isinstance(value.type, TensorType) and numpy_dtype(tensor(value).element_type).kind in "iub"
        for value in op.results
    )


_BYTES = {"int8": (-128, 127), "uint8": (0, 255)}


def _range(argument: BlockArgument) -> tuple[float, float]:
    """Return the real range of an input's first quantizer; -1 to 1 if it has none or an unbounded one."""
    for use in argument.uses:
        element = quantized(use.operation.results[0]) if isinstance(use.operation, _QUANTIZE) else None
        if isinstance(element, UniformQuantizedType) and element.is_per_tensor and element.scale < 1e6:
            low, high = element.storage.minimum - element.zero_point, element.storage.maximum - element.zero_point
            return low * element.scale, high * element.scale
    return -1.0, 1.0


_QUANTIZE = stablehlo.UniformQuantizeOp
