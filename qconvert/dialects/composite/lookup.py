"""Functions of quantized values as tables of their results."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.traits import Elementwise, Layer, NotIn
from qconvert.ir import (
    ElementsAttr,
    UniformQuantizedType,
    quantized,
    shape,
    storage_element,
    tensor,
    tensor_type,
    with_element,
)


@irdl_op_definition
class LookupOp(IRDLOperation):
    """``result[i] = values[operand[i] - lowest]`` on storage integers, ``lowest`` the smallest of the operand's width.

    Operand and result have one scale each; ``values`` are storage integers of the result.
    """

    name = "qconvert.lookup"

    operand = operand_def(TensorType)
    values = prop_def(ElementsAttr)
    result = result_def(TensorType)
    traits = traits_def(
        Pure(),
        Elementwise(),
        NotIn("no operator looks up a table", Layer.ONNX),
        NotIn("only the way to TOSA makes tables", Layer.FUSION, Layer.MATH, Layer.RESCALE, Layer.PUSH, Layer.KERNELS),
    )

    def __init__(self, operand: SSAValue, values: NDArray[np.generic], element: Attribute) -> None:
        """Make the op; ``values`` follow the operand's storage integers, ``element`` is the result's quantized type."""
        super().__init__(
            operands=[operand],
            properties={"values": ElementsAttr.of(values, storage_element(element))},
            result_types=[with_element(tensor(operand), element)],
        )

    def verify_(self) -> None:
        """Check for one shape, one scale on each side, and one value for each integer of the operand's width."""
        source, target = quantized(self.operand), quantized(self.result)
        if shape(self.operand) != shape(self.result):
            raise VerifyException(f"{self.name}: shapes {shape(self.operand)} and {shape(self.result)} differ")
        for element in (source, target):
            if element is None or not element.is_per_tensor or element.storage.width not in (8, 16):
                raise VerifyException(f"{self.name}: types of 8 or 16 bits with one scale are needed, found {element}")
        assert isinstance(source, UniformQuantizedType)
        assert isinstance(target, UniformQuantizedType)
        expected = tensor_type(target.storage_type, [1 << source.storage.width])
        if self.values.type != expected:
            raise VerifyException(f"{self.name}: values of type {self.values.type}, expected {expected}")
