"""Convolutions of few features that step over columns, with the columns of a step as features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from qconvert.backends.ethos_u.forms.steps import behind_reshapes
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.ir import element_type, i8, shape
from qconvert.rewriting import Pass, PassResult, replace, rewrite_or_refuse
from qconvert.rewriting.placed import PlacedBuilder


@dataclass(frozen=True)
class ColumnsToFeatures(Pass):
    """Read the columns that a CONV2D steps over as features of one column.

    ::

        conv2d %x (1, H, W, 3), weights (O, 3, 3, 3), stride = [2, 2], pad = [1, 1, 1, 1]

        conv2d (reshape %x to (1, H, W / 2, 6)), weights (O, 3, 2, 6), stride = [2, 1], pad = [1, 1, 1, 0]

    The NPU computes a number of features at once, so more features are free up to that number, and the kernel has fewer
    columns. Each result is the sum of the same products, and of zeros for weights beyond the kernel. In a slow memory
    the wider windows would be read again and again, so the image must be in the fast one.
    """

    name = "columns-to-features"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CONV2D of 8-bit integers that steps over columns."""
        found = [op for op in module.walk() if isinstance(op, tosa.Conv2DOp) and op.window.stride[1] > 1]
        return rewrite_or_refuse([op for op in found if element_type(op.input) == i8], self._obstacle, _rewrite)

    def _obstacle(self, op: tosa.Conv2DOp) -> str | None:
        """Return why a CONV2D stays, or None."""
        step, (_, _, width, features) = op.window.stride[1], shape(op.input)
        if step * features > self.npu.features_at_once:
            return f"NPUs do not compute {step * features} features in the time of {features}"
        if isinstance(behind_reshapes(op.input).owner, Block) or not self.npu.holds(shape(op.input), shape(op.output)):
            return "its image is not in the fast memory"
        if width % step or op.window.dilation[1] > 1:
            return "its columns are not a multiple of its step, or the kernel's are apart"
        if parameter_array(op.weight) is None or parameter_array(op.weight_zp) is None:
            return "its weights are computed"
        return None if _columns(op)[1] < shape(op.weight)[2] else "the kernel would not have fewer columns"


def _columns(op: tosa.Conv2DOp) -> tuple[int, int]:
    """Return the zeros before the kernel's first column, and the columns of the new kernel."""
    step, low = op.window.stride[1], op.window.pad[2]
    before = -low % step
    return before, -(-(before + shape(op.weight)[2]) // step)


def _rewrite(op: tosa.Conv2DOp) -> None:
    build, window, (before, columns) = PlacedBuilder(op), op.window, _columns(op)
    step = window.stride[1]
    images, height, width, features = shape(op.input)
    top, bottom, left, _ = window.pad
    low = -(-left // step)
    high = shape(op.output)[2] - 1 + columns - low - width // step
    image = build.reshape(op.input, (images, height, width // step, step * features))
    weight = build.constant(_widened(op, before, columns), element_type(op.weight))
    made = tosa.Conv2DOp(
        (image, weight, *op.operands[2:]),
        tosa.ConvWindow((top, bottom, low, high), (window.stride[0], 1), window.dilation),
        element_type(op.output),
    )
    replace(op, build.add(made))


def _widened(op: tosa.Conv2DOp, before: int, columns: int) -> NDArray[Any]:
    """Return the weights with columns of zeros around them, and the columns of a step as features of one column."""
    weight, zero = parameter_array(op.weight), parameter_array(op.weight_zp)
    assert weight is not None
    assert zero is not None
    outputs, height, width, features = weight.shape
    step = op.window.stride[1]
    pads = ((0, 0), (0, 0), (before, columns * step - before - width), (0, 0))
    padded = np.pad(weight, pads, constant_values=zero.item())
    return padded.reshape(outputs, height, columns, step * features)
