"""The caller's part of a conversion with quantized arguments and results: to quantize and dequantize them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.backends.base import WriteOptions
from qconvert.dialects import stablehlo
from qconvert.interpreter.core import evaluate_op, main_function, returned
from qconvert.passes.storage.quantized_io import conversion_of, move_to_edges
from qconvert.support.arrays import Array

_TO_NHWC, _TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


@dataclass(frozen=True)
class Edges:
    """The ops that are left to the caller, one for each argument and each result of ``@main``, or None.

    ``nhwc`` is True if the caller passes and receives images with channels last.
    """

    arguments: tuple[Operation | None, ...]
    results: tuple[Operation | None, ...]
    nhwc: bool

    def before(self, arrays: Sequence[Array]) -> list[Array]:
        """Convert the source's arguments to those of the conversion."""
        return self._laid_out(_converted(self.arguments, arrays), _TO_NHWC)

    def after(self, arrays: Sequence[Array]) -> list[Array]:
        """Convert the conversion's results to those of the source."""
        return _converted(self.results, self._laid_out(arrays, _TO_NCHW))

    def _laid_out(self, arrays: Sequence[Array], order: tuple[int, ...]) -> list[Array]:
        return [array.transpose(order) if self.nhwc and array.ndim == 4 else array for array in arrays]


def _converted(ops: Sequence[Operation | None], arrays: Sequence[Array]) -> list[Array]:
    return [array if op is None else evaluate_op(op, [array])[0] for op, array in zip(ops, arrays, strict=True)]


def edges_of(module: ModuleOp, options: WriteOptions) -> Edges:
    """Return the ops that a conversion with these options leaves to its caller."""
    if not options.quantizes_edges:
        nothing = ((None,) * len(main_function(module).args), (None,) * len(returned(module)))
        return Edges(*nothing, options.nhwc_edges)
    copy = module.clone()
    function = main_function(copy)
    move_to_edges(function)
    found = [conversion_of(argument) for argument in function.args]
    owners = [value.owner for value in returned(copy)]
    return Edges(
        tuple(op if isinstance(op, Operation) else None for op in found),
        tuple(op if isinstance(op, stablehlo.UniformDequantizeOp) else None for op in owners),
        options.nhwc_edges,
    )
