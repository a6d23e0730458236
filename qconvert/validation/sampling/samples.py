"""Samples to run a model on: arrays from a file, or random ones of values that the model can take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count as endless
from itertools import islice
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import BlockArgument

from qconvert.interpreter.core import main_function
from qconvert.ir import IMPLIED, ElementsAttr, Tensor, numpy_dtype, tensor
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.sampling.domains import Domain, calibrated, domain_of

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
    """Draw samples with a seed, each input from its domain.

    Those before the ``first`` of ``count`` are left out; the others are the same as with them.
    """
    return list(islice(drawn_samples(inputs, seed, first), count - first))


def domains(inputs: Mapping[str, BlockArgument]) -> dict[str, Domain]:
    """Return the values from which each input is drawn; those with only one possible value are left out."""
    return {name: domain_of(argument) for name, argument in inputs.items() if _implied(argument) is None}


def drawn_samples(
    inputs: Mapping[str, BlockArgument], seed: int, first: int = 0, known: Mapping[str, Domain] | None = None
) -> Iterator[Sample]:
    """Draw samples without end as :func:`random_samples` does, from the ``first`` on.

    ``known`` are the domains of the inputs, by default those that :func:`domains` finds.
    """
    known = domains(inputs) if known is None else known
    rng = np.random.default_rng(seed)
    left_out = first
    if len(known) == len(inputs) and not any(domain.is_whole for domain in known.values()):
        elements = sum(prod(tensor(argument).get_shape()) for argument in inputs.values())
        rng = np.random.Generator(np.random.PCG64(seed).advance(first * elements))  # a float takes one number
        left_out = 0
    drawn = ({name: _draw(argument, known.get(name), rng) for name, argument in inputs.items()} for _ in endless())
    return islice(drawn, left_out, None)


def guesses(known: Mapping[str, Domain]) -> list[str]:
    """Return a note on each input whose random values are a guess."""
    notes = ((name, domain.guess) for name, domain in known.items())
    return [f"input '{name}' is random: {guess}. --inputs gives other values" for name, guess in notes if guess]


def _draw(argument: BlockArgument, domain: Domain | None, rng: np.random.Generator) -> Array:
    implied = _implied(argument)
    if implied is not None:
        return implied
    assert domain is not None, "an input without an implied value has a domain"
    dtype, shape = numpy_dtype(tensor(argument).element_type), tensor(argument).get_shape()
    if not domain.is_whole:
        return rng.uniform(domain.low, domain.high, shape).astype(dtype)
    low, high, step = int(domain.low), int(domain.high), domain.step
    return (low + step * rng.integers(0, (high - low) // step, shape, endpoint=True)).astype(dtype)


def _implied(argument: BlockArgument) -> Array | None:
    """Return the only value of an input that the shapes in the source allow, or None."""
    function = argument.block.parent_op()
    known = None if function is None else function.attributes.get(IMPLIED)
    found = known.data.get(str(argument.index)) if isinstance(known, DictionaryAttr) else None
    return found.array if isinstance(found, ElementsAttr) else None


def clamped(samples: Sequence[Sample], inputs: Mapping[str, BlockArgument]) -> list[str]:
    """Return a note on each input of which samples lie beyond the range of its first quantizer, which clamps them."""
    notes = []
    for name, argument in inputs.items():
        known = calibrated(argument)
        counts = [0 if known is None else known.beyond(sample[name]) for sample in samples]
        if known is not None and any(counts):
            affected = f"{sum(map(bool, counts)):,} of {counted(len(samples), 'sample')}"
            what = f"{counted(sum(counts), 'element')} of input '{name}' in {affected}"
            notes.append(f"{what} outside the calibrated range {known.least:.4g} to {known.largest:.4g}: clamped")
    return notes
