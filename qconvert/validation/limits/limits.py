"""Limits on the differences of layers, by family, and of float outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np
from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.dialects.traits import Steps
from qconvert.ir import element_type, i1, is_float, quantized
from qconvert.numerics.affine import round_half_even
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import EngineError, UsageError
from qconvert.validation.causes import Cause
from qconvert.validation.figures.measures import CutMeasure
from qconvert.validation.figures.metrics import difference, finite
from qconvert.validation.figures.report import FloatError, InputReport, LayerReport, OutputReport
from qconvert.validation.layers import Family


@dataclass(frozen=True)
class FamilyLimit:
    """The least share of equal elements overall and without ties, and the largest difference in LSB.

    Ties count only where all elements must be equal. ``ceil((1 - share) * elements)`` elements may differ, because a
    share cannot be finer than one element.
    """

    exact: float
    exact_non_ties: float
    max_lsb: int = 1


LIMITS: dict[Family, FamilyLimit] = {
    Family.CONTRACTION: FamilyLimit(exact=0.9999, exact_non_ties=0.9999),
    Family.AVERAGE: FamilyLimit(exact=0.0, exact_non_ties=1.0),
    Family.MOVEMENT: FamilyLimit(exact=1.0, exact_non_ties=1.0),
    Family.ELEMENTWISE: FamilyLimit(exact=0.0, exact_non_ties=1.0),
    Family.RECURRENT: FamilyLimit(exact=0.0, exact_non_ties=1.0),
}
"""onnxruntime sums contractions in float32, whose rounding decides near-ties. All other layers are computed in
onnxruntime's order, so that only exact ties may differ."""

WIDE_SHARE = 1 - 2**-8
"""The needed share of equal 16-bit results other than contractions' (of averages: without ties). A float32 holds a
value of 2^15 LSB with an error of up to 2^-9 LSB, so values within 2^-9 of a tie, which are 2^-8 of all, may fall on
either side of it in onnxruntime."""


INPUT_LIMIT = 1e-4
"""The share of an input's elements that may be quantized differently: float32 rounds their quotient to a tie. For more
than 8 bits it is that of other results, ``1 - WIDE_SHARE``."""


def limit_for(family: Family, bits: int, error: FloatError | None = None) -> FamilyLimit:
    """Return the limit of an ONNX layer with a result of ``bits`` bits.

    Values within the ``error`` of the reference's float32 sums of a tie, on either side of it, may differ.
    """
    limit = LIMITS[family]
    if error is not None:
        share = min(limit.exact, max(0.0, 1 - 2 * error.mean))
        return FamilyLimit(share, share, limit.max_lsb + int(error.largest))
    if family is Family.MOVEMENT or bits <= 8:
        return limit
    return FamilyLimit(min(limit.exact, WIDE_SHARE), WIDE_SHARE, limit.max_lsb)


def rewritten_failure(layer: LayerReport, limit: FamilyLimit, what: str) -> str | None:
    """Return a sentence on how a layer misses its limit in an engine's other kernels, which ``what`` names, or None."""
    found = layer.rewritten
    if found is None:
        return None
    ties = layer.ties / layer.elements if layer.elements else 0.0
    few = _too_many(found.exact, layer.elements, max(0.0, limit.exact - ties))  # any of the ties may differ
    if not few and found.max_lsb <= limit.max_lsb:
        return None
    parts = f"{found.exact:.6f} of its elements are equal, {limit.exact} is needed; it is {found.max_lsb} LSB off"
    return f"layer '{layer.node}' ({layer.op}, {layer.family}), with {what}: {parts}, the limit is {limit.max_lsb}"


def failure_of(layer: LayerReport, limit: FamilyLimit) -> str | None:
    """Return a sentence on how a layer misses its limit, or None."""
    parts = []
    if limit.exact == 1.0 and layer.exact < 1.0:
        parts.append(f"{layer.exact:.6f} of its elements are equal, {limit.exact} is needed")
    if _too_many(layer.exact_non_ties, layer.elements - layer.ties, limit.exact_non_ties):
        needed = limit.exact_non_ties
        parts.append(f"{layer.exact_non_ties:.6f} of its elements without ties are equal, {needed} is needed")
    if layer.max_lsb > limit.max_lsb:
        parts.append(f"it is {layer.max_lsb} LSB off, the limit is {limit.max_lsb}")
    if not parts:
        return None
    return f"layer '{layer.node}' ({layer.op}, {layer.family}): {' and '.join(parts)}{told(layer.cause)}"


def told(cause: Cause | None) -> str:
    """Return the sentence of a cause behind another sentence, nothing for None."""
    return "" if cause is None else f"; {cause.sentence}"


def differing(layer: LayerReport) -> str:
    """Return a sentence on a layer that differs within its limit, which no rounding explains."""
    share = f"{layer.exact_non_ties:.6f} of its elements without ties are equal"
    return f"layer '{layer.node}' ({layer.op}, {layer.family}): {share}, and its parameters differ"


def input_failure(first: InputReport) -> str | None:
    """Return a sentence if too many elements of an input are quantized differently, or None."""
    limit = INPUT_LIMIT if first.bits <= 8 else 1 - WIDE_SHARE
    if not _too_many(first.exact, first.elements, 1 - limit):
        return None
    return f"{1 - first.exact:.6f} of input '{first.name}' is quantized differently, the limit is {limit}"


def _too_many(share: float, elements: int, needed: float) -> bool:
    """Return True if more elements differ than the needed share allows."""
    differing = elements - round(share * elements)
    return differing > math.ceil((1 - needed) * elements - 1e-9)


FLOAT_LIMIT = 1e-4
"""The largest relative difference of an output without rounding; sums in another order stay far below it."""

_HALF_LIMITS = {"float16": 2.0**-7, "bfloat16": 2.0**-4}
"""Eight units in the last place of a half-precision output."""


def rounds(module: ModuleOp) -> bool:
    """Return True if a model rounds inside, so that a difference in a float's last bit may become 1 LSB later."""
    return any(rounds_values(op) for op in module.walk())


def rounds_values(op: Operation) -> bool:
    """Return True if an op makes integers or steps of real values."""
    if op.has_trait(ConstantLike):
        return False
    operands, results = ([each for each in values if _is_tensor(each)] for values in (op.operands, op.results))
    from_float = any(is_float(element_type(operand)) for operand in operands)
    integers = any(isinstance(e := element_type(result), IntegerType) and e != i1 for result in results)
    quantizes = any(quantized(result) is not None for result in results)
    return op.has_trait(Steps) or quantizes or (from_float and integers)


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def float_limit(output: OutputReport) -> float | None:
    """Return the relative difference that float arithmetic explains, or None for an output that is not a float."""
    if output.max_rel is None:
        return None
    return float_tolerance(output.dtype)


def float_tolerance(dtype: str) -> float:
    """Return the relative difference that float arithmetic explains in an output of a type."""
    return _HALF_LIMITS.get(dtype, FLOAT_LIMIT)


def apart_of(reference: Array, lsb: float | None) -> float:
    """Return the distance from which on elements of an output differ by more than float arithmetic explains."""
    if reference.dtype.kind in "iub":
        return 0.0
    if lsb is not None:
        return lsb / 2
    sizes = np.abs(reference.astype(np.float64))
    return float_tolerance(str(reference.dtype)) * float(sizes[np.isfinite(sizes)].max(initial=0.0))


def off_grid(reference: Array, found: Array, lsb: float | None) -> int:
    """Return the number of float32 that are no whole number of LSB apart, as they are with another scale."""
    if lsb is None or reference.dtype not in (np.float32, np.float64):
        return 0
    steps = difference(reference, found) / lsb
    error = _STEPS + NEAR * np.abs(reference.astype(np.float64)) / lsb
    return int(np.count_nonzero(np.abs(steps - round_half_even(steps)) > error))


_STEPS = 1e-3
"""The part of 1 LSB that floats of whole LSB may be away from them."""

NEAR = 2.0**-20
"""The relative error of a few roundings to float32."""


def cut_failures(
    cut: CutMeasure, *, are_floats_alike: bool, rounded: Callable[[], Mapping[str, float]]
) -> Iterator[str]:
    """Yield a sentence on ops of the file in no segment, and on each output that its last ops compute otherwise.

    ``are_floats_alike``: the outputs are computed from the reference's integers by float arithmetic alone. ``rounded``
    gives the largest difference of each output that floats explain which are rounded on the way, as at run time.
    """
    if cut.unjudged:
        names = ", ".join(cut.unjudged[:_MOST_NAMES])
        yield f"{counted(len(cut.unjudged), 'op')} of the file in no judged segment: no output depends on {names}"
    if isinstance(cut.heads, EngineError):
        yield f"the ops in front of the outputs: {cut.heads}"
        return
    beyond = [each for each in cut.heads.items() if are_floats_alike and each[1].relative > FLOAT_LIMIT]
    explained = rounded() if beyond else {}
    for name, found in beyond:
        if found.largest > explained.get(name, 0.0):
            differs = f"differs by {found.relative:.2g} of its largest value"
            yield f"output '{name}', computed from the reference's tensors in front of it, {differs}"


_MOST_NAMES = 3


def relative_failure(output: OutputReport, limit: float | None) -> str | None:
    """Return a sentence if an output's relative difference exceeds a limit, or None."""
    if limit is None or output.max_rel is None or output.max_rel <= limit:
        return None
    if output.max_abs == finite(math.inf):
        one = f"output '{output.name}' is infinite or not a number in one of the runs only"
        return f"{one}: a value overflows {output.dtype}, or a type inside. Runtimes may hold it in a wider type"
    return f"output '{output.name}' differs by {output.max_rel:.2g} of its largest value, the limit is {limit:.2g}"


def is_close(output: OutputReport) -> bool:
    """Return True if an output is equal, or if float arithmetic explains all of its differences."""
    limit = float_limit(output)
    return output.exact == 1.0 or (limit is not None and relative_failure(output, limit) is None)


def unjudged(output: OutputReport) -> Iterator[str]:
    """Yield a sentence on an output that differs where neither layers nor limits tell whether it may."""
    if not is_close(output):
        off = f"{output.max_lsb} LSB" if output.max_lsb is not None else f"{output.max_abs:.3g}"
        found = f"{output.exact:.6f} of output '{output.name}' is equal, it is {off} off"
        yield f"{found}. --max-lsb, --min-exact, --min-sqnr or --max-rel allow differences"


def disagreement(output: OutputReport, samples: int) -> Iterator[str]:
    """Yield a sentence on an output whose best class differs on some ``samples``, where both runs are sure."""
    if samples:
        yield f"output '{output.name}': the best class differs on {samples} samples where both are sure"


@dataclass(frozen=True)
class Limits:
    """Optional end-to-end limits: largest difference in LSB, least share of equal elements, least SQNR in dB.

    ``max_rel`` is the largest difference by the largest magnitude; float outputs of a model that rounds nothing are
    held to ``FLOAT_LIMIT`` where it is not given.
    """

    max_lsb: int | None = None
    min_exact: float | None = None
    min_sqnr_db: float | None = None
    max_rel: float | None = None

    def __post_init__(self) -> None:
        for name, value in self.given().items():
            if not math.isfinite(value):
                raise UsageError(f"the limit {name} is {value}, it must be a finite number")

    def given(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def failures(self, output: OutputReport) -> list[str]:
        """Return a sentence for each limit that an output misses."""
        found = []
        if self.max_lsb is not None and output.max_lsb is None and output.exact < 1.0:
            found.append(f"output '{output.name}' differs and has no LSB, the limit is {self.max_lsb} LSB")
        if self.max_lsb is not None and output.max_lsb is not None and output.max_lsb > self.max_lsb:
            found.append(f"output '{output.name}' is {output.max_lsb} LSB off, the limit is {self.max_lsb}")
        if self.min_exact is not None and output.exact < self.min_exact:
            found.append(f"{output.exact:.6f} of output '{output.name}' is equal, {self.min_exact} is needed")
        if self.min_sqnr_db is not None and output.sqnr_db is None and output.exact < 1.0:
            found.append(f"output '{output.name}' has no finite signal or noise, {self.min_sqnr_db} dB are needed")
        if self.min_sqnr_db is not None and output.sqnr_db is not None and output.sqnr_db < self.min_sqnr_db:
            found.append(f"output '{output.name}' has {output.sqnr_db:.1f} dB, {self.min_sqnr_db} are needed")
        relative = relative_failure(output, self.max_rel)
        return found if relative is None else [*found, relative]
