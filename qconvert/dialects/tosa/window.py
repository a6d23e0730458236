"""Pools over the two middle dimensions of (N, H, W, C).

Source: TOSA specification 1.0, "MAX_POOL2D".
"""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.dialects.tosa import NanModeAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from qconvert.dialects.tosa.base import TosaOp, integer_list, listed
from qconvert.dialects.tosa.contraction import ConvWindow
from qconvert.dialects.types import Tensor, shape, tensor, with_shape
from qconvert.errors import ConversionError


@irdl_op_definition
class MaxPool2DOp(TosaOp):
    """The largest element under each window; padding is never it."""

    name = "tosa.max_pool2d"

    input = operand_def(TensorType)
    kernel = prop_def(DenseArrayBase)
    stride = prop_def(DenseArrayBase)
    pad = prop_def(DenseArrayBase)
    nan_mode = opt_prop_def(NanModeAttr)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, kernel: tuple[int, ...], window: ConvWindow) -> None:
        """``window`` has no dilations."""
        lists = {"kernel": kernel, "stride": window.stride, "pad": window.pad}
        super().__init__([value], {name: integer_list(values) for name, values in lists.items()})

    @property
    def sizes(self) -> tuple[int, ...]:
        """The window's height and width."""
        return listed(self.kernel, 2)

    @property
    def window(self) -> ConvWindow:
        """Padding and strides."""
        return ConvWindow(listed(self.pad, 4), listed(self.stride, 2), (1, 1))

    def infer(self) -> Tensor:
        """Batch, the windows' positions, channels."""
        image, window = shape(self.input), self.window
        if len(image) != 4:
            raise ConversionError(f"a pool of a tensor of rank {len(image)}")
        sizes = [window.output_size(i, image[1 + i], size) for i, size in enumerate(self.sizes)]
        return with_shape(tensor(self.input), [image[0], *sizes, image[3]])
