"""``reduce_window`` (pools), with the same regions as ``reduce``.

Source: StableHLO's specification, reduce_window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
)

from qconvert.dialects.op_checks import check, check_sizes
from qconvert.dialects.stablehlo.base import as_tuple, counts, integers
from qconvert.dialects.stablehlo.convolution_window import window_count
from qconvert.dialects.stablehlo.reduction import InputsReductionOp, result_elements
from qconvert.ir import ElementsAttr, Tensor, shape, tensor_type
from qconvert.support.errors import ConversionError


def padding_attribute(padding: Sequence[tuple[int, int]]) -> ElementsAttr:
    """Return ``dense<[[low, high], ...]> : tensor<Nx2xi64>``."""
    return ElementsAttr.of(np.asarray(padding, np.int64).reshape(-1, 2), i64)


def some_padding(padding: Sequence[tuple[int, int]]) -> ElementsAttr | None:
    """Return :func:`padding_attribute`, or None without padding: an absent attribute means zeros."""
    return padding_attribute(padding) if any(low or high for low, high in padding) else None


def padding_pairs(attribute: ElementsAttr | None, rank: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of a padding attribute, zeros if it is absent; raises ConversionError unless it holds pairs."""
    if attribute is None:
        return ((0, 0),) * rank
    if attribute.array.shape[1:] != (2,):
        raise ConversionError(f"padding of type {attribute.type}, pairs of integers are needed")
    return tuple((int(low), int(high)) for low, high in attribute.array)


class Window(NamedTuple):
    """Size, strides, dilations and padding of a pool, one entry for every dimension of its operand."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    base_dilations: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls,
        size: Sequence[int],
        *,
        strides: Sequence[int] = (),
        base_dilations: Sequence[int] = (),
        dilations: Sequence[int] = (),
        padding: Sequence[tuple[int, int]] = (),
    ) -> Window:
        """Return a window with ones and zeros for absent lists."""
        ones = (1,) * len(size)
        return cls(
            tuple(size),
            tuple(strides) or ones,
            tuple(base_dilations) or ones,
            tuple(dilations) or ones,
            tuple(padding) or ((0, 0),) * len(size),
        )

    def result_shape(self, operand: Sequence[int]) -> tuple[int, ...]:
        """Return the pooled shape; raises ConversionError where ranks differ."""
        if len(operand) != len(self.size):
            raise ConversionError(f"a window of rank {len(self.size)} over a tensor of rank {len(operand)}")
        for values in (self.size, self.strides, self.base_dilations, self.dilations):
            check_sizes(len(operand), values)
            if any(value < 1 for value in values):
                raise ConversionError(f"sizes, strides and dilations of a window must be positive, found {values}")
        check_sizes(len(operand), self.padding)
        return tuple(self._extent(i, size) for i, size in enumerate(operand))

    @property
    def has_filling(self) -> bool:
        """True if the initial value fills places: padding, or the gaps of a dilated base."""
        return any(low > 0 or high > 0 for low, high in self.padding) or any(step > 1 for step in self.base_dilations)

    def _extent(self, dimension: int, size: int) -> int:
        lists = (self.strides, self.base_dilations, self.dilations)
        return window_count(
            size, self.size[dimension], self.padding[dimension], *(values[dimension] for values in lists)
        )


@irdl_op_definition
class ReduceWindowOp(InputsReductionOp):
    """The combination of the elements under a window that slides over every dimension; padding is the initial value."""

    name = "stablehlo.reduce_window"
    PROMOTION: ClassVar[str] = "C13"
    COMBINED: ClassVar[str] = "C16"
    window_dimensions = prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    base_dilations = opt_prop_def(DenseArrayBase)
    window_dilations = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(ElementsAttr)

    def __init__(self, operand: SSAValue, init_value: SSAValue, window: Window, parts: Sequence[Region]) -> None:
        super().__init__(
            operands=[[operand], [init_value]],
            properties={
                "window_dimensions": integers(window.size),
                "window_strides": counts(window.strides),
                "base_dilations": counts(window.base_dilations),
                "window_dilations": counts(window.dilations),
                "padding": some_padding(window.padding),
            },
            regions=[list(parts)],
        )

    def verify_(self) -> None:
        """Check also that an initial value of the accumulator's type fills no place of an element."""
        super().verify_()
        fits = not self.is_left_to_right or not self.window.has_filling
        check(
            fits,
            self.name,
            "padding and gaps need an initial value of the elements' type, found {}",
            self.initials[0].type,
        )

    def infer(self) -> Tensor:
        """Return the type of the first result: the sizes that the window gives (C4 to C12, C14 to C16)."""
        return tensor_type(result_elements(self.regions)[0], self.window.result_shape(shape(self.inputs[0])))

    @property
    def window(self) -> Window:
        """The window, with defaults for absent lists."""
        size = as_tuple(self.window_dimensions)
        return Window.of(
            size,
            strides=as_tuple(self.window_strides),
            base_dilations=as_tuple(self.base_dilations),
            dilations=as_tuple(self.window_dilations),
            padding=padding_pairs(self.padding, len(size)),
        )
