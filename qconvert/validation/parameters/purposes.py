"""The changes that a conversion makes on purpose: storage, the order of dimensions, folded quantizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.dialects.stablehlo import ConvolutionOp, UniformDequantizeOp, UniformQuantizeOp
from qconvert.ir import quantized
from qconvert.support.counting import counted


def purposes_of(source: ModuleOp, converted: ModuleOp) -> Iterator[str]:
    """Yield what the conversion of a module changed without changing what it computes."""
    unsigned = _fewer(source, converted, is_unsigned)
    if unsigned > 0:
        yield f"{counted(unsigned, 'unsigned tensor')} and zero points are held as signed integers"
    if _count(source, _has_channels_first) and not _count(converted, _has_channels_first):
        yield "images have their channels last, and weights the order of dimensions that belongs to it"
    folded = _fewer(source, converted, _is_quantizer)
    if folded > 0:
        yield f"{counted(folded, 'quantizer')} and dequantizers are folded into operators, with activations behind them"
    if _count(source, _has_scale) and not _count(converted, _has_scale):
        yield "scales are written as the factors of rescales"


def _count(module: ModuleOp, is_counted: Callable[[Operation], bool]) -> int:
    return sum(map(is_counted, module.walk()))


def _fewer(source: ModuleOp, converted: ModuleOp, is_counted: Callable[[Operation], bool]) -> int:
    return _count(source, is_counted) - _count(converted, is_counted)


def is_unsigned(op: Operation) -> bool:
    """Return True for an op with a result of unsigned storage."""
    return any((element := quantized(value)) is not None and not element.storage.signed for value in op.results)


def _is_quantizer(op: Operation) -> bool:
    return isinstance(op, UniformQuantizeOp | UniformDequantizeOp)


def _has_scale(op: Operation) -> bool:
    return any(quantized(value) is not None for value in op.results)


def _has_channels_first(op: Operation) -> bool:
    if not isinstance(op, ConvolutionOp):
        return False
    numbers = op.dimension_numbers.data
    return numbers.input_feature < max(numbers.input_spatial, default=0)
