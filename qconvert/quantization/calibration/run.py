"""Calibration: a float model is run over samples, and its values are observed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx import OnnxOptions
from qconvert.backends.onnx.emit import emit
from qconvert.dialects.port_names import INPUT_NAMES, OUTPUT_NAMES
from qconvert.engines.onnxruntime import Optimisation, Session
from qconvert.interpreter.core import main_function
from qconvert.interpreter.program import evaluate
from qconvert.ir import element_type, is_float, numpy_dtype, shape, tensor
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.quantization.calibration.method import Method
from qconvert.quantization.calibration.samples import Samples, Source, read_samples
from qconvert.quantization.calibration.statistics import Statistics
from qconvert.quantization.fusion.unwrap import UnwrapRegions
from qconvert.quantization.names import boundary_values, input_names, node_of, values_by_name
from qconvert.quantization.ranges import Range
from qconvert.rewriting import known_array, run_passes
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.suggestions import nearest

Array: TypeAlias = NDArray[Any]
Progress: TypeAlias = Callable[[int, int | None], None]
"""Called with the number of finished runs, and with their total if it is known."""

_BATCH_BYTES = 64 << 20
"""Bytes of values fetched at once. Runs are batched, and values are split into groups, to stay below."""

_BATCH_RUNS = 256
"""Largest number of runs between two reports of progress."""


def calibrate(
    module: ModuleOp,
    source: Source,
    *,
    method: Method | str = "minmax",
    axes: Mapping[str, int] | None = None,
    values: Collection[str] | None = None,
    model: str | None = None,
    progress: Progress = lambda _done, _total: None,
) -> Statistics:
    """Run a float model in onnxruntime over samples (:func:`.samples.read_samples`); return its values' ranges.

    The model is written as ONNX, whatever its source format. Observed are the float inputs and the values that leave
    their source node, or the values named in ``values``. ``axes`` asks by name for a range of each slice along an axis
    too. An empty tensor has no range. ``model`` is kept in the statistics. A model without an ONNX form is run by our
    interpreter.

    Raises UsageError for missing or unsuitable samples and for unknown names, ConversionError naming a value that is
    infinite or NaN, and EngineError if onnxruntime refuses the model.
    """
    chosen = Method.parse(method) if isinstance(method, str) else method
    observed = _observed(module, values)
    if unknown := [name for name in axes or () if name not in observed]:
        raise _unknown(unknown, observed)
    watches = [_Watch(name, value, chosen, (axes or {}).get(name)) for name, value in observed.items()]
    inputs = {name: tensor(value) for value, name in input_names(main_function(module)).items()}
    samples = read_samples(source, inputs)
    chunks = list(_chunks(watches))
    done = count = 0
    for chunk in chunks:
        before = done
        with _session(module, chunk) as session:
            for batch in _batches(samples, sum(watch.bytes for watch in chunk)):
                results = session.run_stacked(batch)
                for watch, runs in zip(chunk, results.values(), strict=True):
                    watch.observe(runs)
                done += len(next(iter(batch.values())))
                progress(done, None if samples.count is None else samples.count * len(chunks))
        count = done - before
    ranges = {watch.name: found for watch in watches if (found := watch.found()) is not None}
    return Statistics(ranges, chosen, count, model)


def _observed(module: ModuleOp, wanted: Collection[str] | None) -> dict[str, SSAValue]:
    """Return the values to observe by name; raise UsageError for a name that no float value has."""
    if wanted is None:
        return boundary_values(module)
    floats = {name: value for name, value in values_by_name(module).items() if is_float(element_type(value))}
    if unknown := [name for name in wanted if name not in floats]:
        raise _unknown(unknown, floats)
    return {name: floats[name] for name in wanted}


def _unknown(names: Collection[str], known: Collection[str]) -> UsageError:
    close = nearest(next(iter(names)), known)
    return UsageError(f"the model has no float value {', '.join(names)} to observe; it has {close}")


class _Watch:
    """A value under observation, with its observer and one observer for each slice along an axis."""

    def __init__(self, name: str, value: SSAValue, method: Method, axis: int | None) -> None:
        sizes = shape(value)
        if axis is not None and not 0 <= axis < len(sizes):
            raise UsageError(f"value '{name}' has {len(sizes)} dimensions, there is no axis {axis}")
        self.name = name
        self.value = value
        self.bytes = prod(sizes) * numpy_dtype(element_type(value)).itemsize
        self._axis = axis
        self._whole = method.observer()
        self._slices = [method.observer() for _ in range(0 if axis is None else sizes[axis])]
        self._runs = 0

    def observe(self, runs: Array) -> None:
        """Take the values of some runs, stacked in the first dimension; raise ConversionError if one is not finite."""
        if not runs.size:
            return
        rows = runs.reshape(len(runs), -1)
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            run = int(np.argmin(finite))
            found = rows[run][~np.isfinite(rows[run])][0]
            raise ConversionError(
                f"in run {self._runs + run} of the calibration an element of value '{self.name}' is {found}, "
                "so it has no range",
                hint=_remedy(self.value),
                node=node_of(self.value),
            )
        self._runs += len(runs)
        self._whole.observe(rows)
        if self._axis is not None:
            for observer, part in zip(self._slices, np.moveaxis(runs, self._axis + 1, 0), strict=True):
                observer.observe(part.reshape(len(runs), -1))

    def found(self) -> Range | None:
        """Return the range; None if nothing was observed."""
        if not self._runs:
            return None
        slices = tuple(observer.range() for observer in self._slices)
        return Range(*self._whole.range(), self._axis if slices else None, slices)


def _remedy(value: SSAValue) -> str:
    """Return advice about a value that is not finite."""
    operands = value.owner.operands if isinstance(value.owner, Operation) else ()
    constants = (array for operand in operands if (array := known_array(operand)) is not None)
    if any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in constants):
        return "It is computed of a constant that has such elements itself: repair it, or give a mask finite ones"
    return "Look at that sample, or cut the model before this value"


def _chunks(watches: Sequence[_Watch]) -> Iterator[list[_Watch]]:
    """Yield the values in groups that one run fetches together."""
    chunk: list[_Watch] = []
    for watch in watches:
        if chunk and sum(other.bytes for other in chunk) + watch.bytes > _BATCH_BYTES:
            yield chunk
            chunk = []
        chunk.append(watch)
    if chunk:
        yield chunk


def _batches(samples: Samples, run_bytes: int) -> Iterator[dict[str, Array]]:
    """Yield samples in stacks of as many as are run at once."""
    size = min(max(_BATCH_BYTES // max(run_bytes, 1), 1), _BATCH_RUNS)
    remaining = iter(samples)
    while group := list(islice(remaining, size)):
        yield {f"i{i}": np.stack([sample[name] for sample in group]) for i, name in enumerate(group[0])}


class _Runner(Protocol):
    def run_stacked(self, inputs: Mapping[str, Array]) -> dict[str, Array]: ...


@contextmanager
def _session(module: ModuleOp, watches: Sequence[_Watch]) -> Iterator[_Runner]:
    """Yield a runner for the watched values: onnxruntime, or our interpreter if an op has no ONNX form."""
    program = _program(module, watches)
    try:
        content = emit(program, OnnxOptions()).file
    except ConversionError:
        yield _Interpreter(program)
        return
    assert content is not None
    with Session(content, optimisation=Optimisation.BASIC) as session:
        yield session


@dataclass(frozen=True)
class _Interpreter:
    program: ModuleOp

    def run_stacked(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Return results with the runs in the first dimension, as the inputs have them."""
        runs = [evaluate(self.program, sample) for sample in zip(*inputs.values(), strict=True)]
        return {f"v{i}": np.stack(results) for i, results in enumerate(zip(*runs, strict=True))}


def _program(module: ModuleOp, watches: Sequence[_Watch]) -> ModuleOp:
    """Return a module that computes only the watched values, those inside a ``quant.region`` too."""
    mapping: dict[SSAValue, SSAValue] = {}
    copy = module.clone(mapping)
    function = main_function(copy)
    block = function.body.block
    values = [mapping[watch.value] for watch in watches]
    if block.last_op is not None:
        block.erase_op(block.last_op)
    block.add_op(ReturnOp(*values))
    UnwrapRegions().apply(copy)
    types = [value.type for value in values]
    function.properties["function_type"] = FunctionType.from_lists(list(block.arg_types), types)
    function.properties.pop("res_attrs", None)
    function.attributes[INPUT_NAMES] = _numbered("i", len(block.args))
    function.attributes[OUTPUT_NAMES] = _numbered("v", len(values))
    run_passes(copy, [DeadCodeElimination()])
    return copy


def _numbered(letter: str, count: int) -> ArrayAttr[StringAttr]:
    return ArrayAttr(StringAttr(f"{letter}{i}") for i in range(count))
