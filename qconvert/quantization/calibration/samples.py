"""Calibration samples: an .npz file, a folder of .npy files, or any iterable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qconvert.ir import Tensor, numpy_dtype
from qconvert.support.arrays import read_array, read_arrays
from qconvert.support.errors import UsageError

Array: TypeAlias = NDArray[Any]
Sample: TypeAlias = Mapping[str, Array]
Source: TypeAlias = str | Path | Sample | Iterable[Sample]


@dataclass(frozen=True)
class Samples:
    """Samples that can be iterated repeatedly; ``count`` is None if it is not known in advance.

    Each sample has an array for each input, of the input's shape and type.
    """

    open: Callable[[], Iterator[Sample]]
    count: int | None = None

    def __iter__(self) -> Iterator[Sample]:
        return self.open()


def read_samples(source: Source, inputs: Mapping[str, Tensor]) -> Samples:
    """Return the samples of a source for a model with these inputs.

    * A path of an .npz file with an array for each input; other arrays are ignored.
    * A path of a folder of .npy files, taken in the order of their names, for a model with one input.
    * A mapping from inputs' names to arrays, as in an .npz file.
    * An iterable of such mappings.

    An array of the input's shape is one sample. With one more dimension in front, each of its elements is a sample.
    With a larger first dimension, it is cut into batches of the model's size. An array of the input's shape serves all
    samples if other inputs have several.

    Raises UsageError if there are no samples or if one does not fit. Samples of a folder or an iterable are checked
    when they are read.
    """
    if isinstance(source, Mapping):
        return _of_arrays("samples", source, inputs)
    if not isinstance(source, str | Path):
        repeatable = source if iter(source) is not source else list(source)
        return _of_groups(lambda: ((f"sample {i}", group) for i, group in enumerate(repeatable)), inputs)
    path = Path(source)
    if path.is_dir():
        return _of_folder(path, inputs)
    return _of_arrays(str(path), read_arrays(path), inputs)


def _of_arrays(where: str, arrays: Sample, inputs: Mapping[str, Tensor]) -> Samples:
    stacks = _stacks(where, arrays, inputs)
    count = max((len(stack) for stack in stacks.values()), default=0)
    if count == 0:
        raise UsageError(f"{where}: there are no samples to calibrate on; an array's first dimension counts them")
    return Samples(lambda: _rows(stacks), count)


def _of_folder(folder: Path, inputs: Mapping[str, Tensor]) -> Samples:
    if len(inputs) != 1:
        names = ", ".join(inputs)
        raise UsageError(
            f"{folder}: a folder of .npy files is for a model with one input, this model has {names}; give an .npz file"
        )
    paths = sorted(folder.glob("*.npy"))
    if not paths:
        raise UsageError(f"{folder}: there are no .npy files to calibrate on")
    [name] = inputs
    return _of_groups(lambda: ((str(path), {name: read_array(path)}) for path in paths), inputs)


def _of_groups(groups: Callable[[], Iterator[tuple[str, Sample]]], inputs: Mapping[str, Tensor]) -> Samples:
    """Return the samples of all groups; each group comes with its name for errors."""

    def samples() -> Iterator[Sample]:
        is_empty = True
        for where, group in groups():
            for sample in _rows(_stacks(where, group, inputs)):
                is_empty = False
                yield sample
        if is_empty:
            raise UsageError("there are no samples to calibrate on")

    return Samples(samples)


def _rows(stacks: Mapping[str, list[Array]]) -> Iterator[Sample]:
    for i in range(max((len(stack) for stack in stacks.values()), default=0)):
        yield {name: stack[i] if len(stack) > 1 else stack[0] for name, stack in stacks.items()}


def _stacks(where: str, arrays: Mapping[str, Array], inputs: Mapping[str, Tensor]) -> dict[str, list[Array]]:
    """Return one array per sample for each input, or a single array for all; raise UsageError if they do not fit."""
    missing = [name for name in inputs if name not in arrays]
    if missing:
        there = ", ".join(arrays) or "none"
        raise UsageError(f"{where}: there is no array for input {', '.join(missing)}; there are {there}")
    stacks = {name: _stack(f"{where}: input '{name}'", np.asarray(arrays[name]), type) for name, type in inputs.items()}
    if any(not stack for stack in stacks.values()):
        return {}
    counts = {name: len(stack) for name, stack in stacks.items()}
    if len(set(counts.values()) - {1}) > 1:
        found = ", ".join(f"{count} for {name}" for name, count in counts.items())
        raise UsageError(f"{where}: the inputs have different numbers of samples: {found}")
    return stacks


def _stack(where: str, array: Array, type: Tensor) -> list[Array]:
    shape, dtype = type.get_shape(), numpy_dtype(type.element_type)
    if array.dtype != dtype:
        raise UsageError(f"{where} takes {dtype}, found {array.dtype}; convert it, array.astype('{dtype}')")
    if not np.isfinite(array).all():
        index = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise UsageError(f"{where}: element {index} is {array[tuple(index)]}, samples must be finite")
    if array.shape == shape:
        return [array]
    if array.ndim and array.shape[0] == 0 and array.shape[1:] in (shape, shape[1:]):
        return []
    if array.shape[1:] == shape:
        return list(array)
    if shape and array.ndim == len(shape) and array.shape[1:] == shape[1:] and shape[0] > 0:
        return _batches(where, array, shape[0])
    several = [f"[samples, {', '.join(map(str, shape))}]" if shape else "[samples]"]
    several += [f"[samples, {', '.join(map(str, shape[1:]))}]"] if len(shape) > 1 else []
    allowed = f"{list(shape)} for one sample, {' or '.join(several)} for several"
    raise UsageError(f"{where} has the shape {list(array.shape)}; it may be {allowed}")


def _batches(where: str, array: Array, size: int) -> list[Array]:
    if len(array) % size:
        raise UsageError(f"{where}: {len(array)} samples do not fill batches of {size}, which the model takes")
    return np.split(array, len(array) // size)
