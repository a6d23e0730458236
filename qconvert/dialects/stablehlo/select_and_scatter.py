"""``select_and_scatter``: the gradient of a pool; ``scatter`` takes the same conversions as a reduction.

Source: StableHLO's specification; its RFC on quantized reductions for the conversions, which ``select`` does not need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Region, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def, var_region_def
from xdsl.traits import Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import as_tuple, counts, integers
from qconvert.dialects.stablehlo.control import ReturnOp
from qconvert.dialects.stablehlo.reduction import ReductionOp, result_elements
from qconvert.dialects.stablehlo.window import Window, padding_pairs, some_padding
from qconvert.dialects.traits import PassesIntegers
from qconvert.ir import ElementsAttr, Tensor, element_type, i1, shape, tensor_type


@irdl_op_definition
class SelectAndScatterOp(ReductionOp):
    """The source's elements at the places that ``select`` chose under each window, combined by ``scatter``."""

    name = "stablehlo.select_and_scatter"
    PROMOTION: ClassVar[str] = "C10"
    COMBINED: ClassVar[str] = "C12"
    operand = operand_def(TensorType)
    source = operand_def(TensorType)
    init_value = operand_def(TensorType)
    window_dimensions = opt_prop_def(DenseArrayBase)
    window_strides = opt_prop_def(DenseArrayBase)
    padding = opt_prop_def(ElementsAttr)
    result = result_def(TensorType)
    parts = var_region_def()
    traits = traits_def(Pure(), PassesIntegers())

    def __init__(self, operands: Sequence[SSAValue], window: Window, select: Region, scatter: Sequence[Region]) -> None:
        """Make the op; ``operands`` are operand, source and initial value, ``scatter`` the stages of a reduction."""
        super().__init__(
            operands=operands,
            properties={
                "window_dimensions": integers(window.size),
                "window_strides": counts(window.strides),
                "padding": some_padding(window.padding),
            },
            regions=[[select, *scatter]],
        )

    def infer(self) -> Tensor:
        """Return the operand's shape with the elements that ``scatter`` combines."""
        return tensor_type(result_elements(self.stages)[0], shape(self.operand))

    @property
    def select(self) -> Region:
        """The region that returns true if its first argument is chosen over its second."""
        return self.regions[0]

    @property
    def stages(self) -> tuple[Region, ...]:
        """The regions of ``scatter``."""
        return tuple(self.regions[1:])

    @property
    def elements(self) -> tuple[SSAValue, ...]:
        """The source."""
        return (self.source,)

    @property
    def initials(self) -> tuple[SSAValue, ...]:
        """The initial value of each result element."""
        return (self.init_value,)

    @property
    def window(self) -> Window:
        """The window, with defaults for absent lists."""
        rank = len(shape(self.operand))
        size = as_tuple(self.window_dimensions, (1,) * rank)
        return Window.of(size, strides=as_tuple(self.window_strides), padding=padding_pairs(self.padding, rank))

    def verify_(self) -> None:
        """Check for one element type (C1), the source's shape (C2), and the regions (C9 to C12)."""
        check(len(self.regions) > 1, self.name, "select and scatter are needed")
        given, found = element_type(self.operand), element_type(self.source)
        check(given == found, "select_and_scatter (C1)", "elements {} and {} differ", given, found)
        sizes = self.window.result_shape(shape(self.operand))
        check(
            shape(self.source) == sizes,
            "select_and_scatter (C2)",
            f"a source of shape {shape(self.source)}, not {sizes}",
        )
        self._verify_select()
        self.verify_regions()
        super().verify_()

    def _verify_select(self) -> None:
        scalar = TensorType(element_type(self.operand), ())
        check(len(self.select.blocks) == 1, self.name, "select must be one block")
        block, last = self.select.block, self.select.block.last_op
        returned = list(last.operand_types) if isinstance(last, ReturnOp) else []
        fits = list(block.arg_types) == [scalar, scalar] and returned == [TensorType(i1, ())]
        check(fits, "select_and_scatter (C9)", "select must take two scalars of {} and give a boolean", scalar)
