"""Averages over windows that reach beyond the edge.

Source: the TFLite operator AVERAGE_POOL_2D.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check_real
from qconvert.dialects.stablehlo import AddOp, DivideOp, ReduceWindowOp, Window, binary_body
from qconvert.dialects.stablehlo.base import as_tuple, integers
from qconvert.dialects.traits import KeepsRange
from qconvert.ir import Tensor, element_type, numpy_dtype, shape, tensor_type
from qconvert.support.errors import ConversionError


@irdl_op_definition
class AveragePoolOp(InferredOp, CompositeOp):
    """The average of the elements under each window of (batch, height, width, features), without the padding.

    ``kernel`` and ``strides`` are of height and width, ``padding`` low and high of height, then of width.
    """

    name = "qconvert.average_pool"
    operand = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    strides = prop_def(DenseArrayBase)
    padding = prop_def(DenseArrayBase)
    result = result_def(TensorType)
    traits = traits_def(Pure(), KeepsRange())

    def __init__(self, operand: SSAValue, window: Window, element: Attribute | None = None) -> None:
        super().__init__(
            operands=[operand],
            properties={
                "kernel": integers(window.size[1:3]),
                "strides": integers(window.strides[1:3]),
                "padding": integers([size for pair in window.padding[1:3] for size in pair]),
            },
            result=tensor_type(element or element_type(operand), ()),
        )

    @property
    def window(self) -> Window:
        """The window over all four dimensions."""
        pads = as_tuple(self.padding)
        return Window.of(
            (1, *as_tuple(self.kernel), 1),
            strides=(1, *as_tuple(self.strides), 1),
            padding=((0, 0), (pads[0], pads[1]), (pads[2], pads[3]), (0, 0)),
        )

    @property
    def counts(self) -> NDArray[np.float64]:
        """The number of elements under each window, of shape (1, height, width, 1)."""
        window, sizes = self.window, shape(self.operand)
        parts = []
        for axis in (1, 2):
            low, _ = window.padding[axis]
            starts = np.arange(shape(self.result)[axis]) * window.strides[axis] - low
            ends = np.minimum(starts + window.size[axis], sizes[axis])
            parts.append((ends - np.maximum(starts, 0)).astype(np.float64))
        return np.asarray(np.multiply.outer(*parts)[None, :, :, None])

    def infer(self) -> Tensor:
        """Return the sizes that the windows give, with the result's elements; each window holds an element."""
        return tensor_type(element_type(self.result), _pooled(shape(self.operand), self.window))

    def verify_(self) -> None:
        """Check that the type fits, and that operand and result stand for values of one type."""
        super().verify_()
        check_real(self.name, (self.operand, self.result))

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Divide the sum under each window by the number of its elements."""
        (x,) = operands
        element = element_type(x)
        summed = ReduceWindowOp(x, build.filled(0, element), self.window, [binary_body(AddOp, element)])
        counts = build.constant(self.counts.astype(numpy_dtype(element)), element)
        total = build.add(summed)
        return build.add(DivideOp(total, build.broadcast(counts, shape(total))))


def _pooled(sizes: Sequence[int], window: Window) -> list[int]:
    """Return the sizes of a pool's result; raises ConversionError if a window would hold no element."""
    if len(sizes) != 4:
        raise ConversionError(f"a pool of {list(sizes)}, four dimensions are needed")
    made = list(sizes)
    for axis in (1, 2):
        low, high = window.padding[axis]
        if not 0 <= low < window.size[axis] or high >= window.size[axis]:
            raise ConversionError(f"a window of {window.size[axis]} elements with a padding of {low} and {high}")
        made[axis] = (sizes[axis] + low + high - window.size[axis]) // window.strides[axis] + 1
    return made
