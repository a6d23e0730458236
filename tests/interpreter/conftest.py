"""One op at a time: typed arguments for it, its evaluation, and onnxruntime as the yardstick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import NodeProto, helper
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.interpreter import evaluate_op
from qconvert.ir.types import numpy_dtype, tensor
from tests.support.onnx_cases import reference_session

Array = npt.NDArray[Any]
Values = Callable[..., Sequence[SSAValue]]
Run = Callable[..., Array]


@pytest.fixture(scope="session")
def values() -> Values:
    """SSA values for pairs of element type and shape."""

    def make(*types: tuple[Attribute, Sequence[int]]) -> Sequence[SSAValue]:
        return Block(arg_types=[TensorType(element, shape) for element, shape in types]).args

    return make


@pytest.fixture(scope="session")
def run_all() -> Callable[..., tuple[Array, ...]]:
    """All results of an op on arrays, checked against the types that the op claims for them."""

    def run(op: Operation, *operands: Array) -> tuple[Array, ...]:
        results = evaluate_op(op, [np.asarray(operand) for operand in operands])
        for value, array in zip(op.results, results, strict=True):
            assert array.shape == tensor(value).get_shape()
            assert array.dtype == numpy_dtype(tensor(value).element_type)
        return results

    return run


@pytest.fixture(scope="session")
def run(run_all: Callable[..., tuple[Array, ...]]) -> Run:
    """The one result of an op on arrays."""

    def one(op: Operation, *operands: Array) -> Array:
        (result,) = run_all(op, *operands)
        return result

    return one


@pytest.fixture(scope="session")
def ort() -> Run:
    """A single ONNX node on arrays, in the order of its inputs; unoptimised, on one thread."""

    def infer(node: NodeProto, *arrays: Array, opset: int = 21) -> Array:
        names = [name for name in node.input if name]
        feeds = dict(zip(names, map(np.asarray, arrays), strict=True))
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in feeds.items()
        ]
        outputs = [helper.make_empty_tensor_value_info(node.output[0])]
        graph = helper.make_graph([node], "one_op", inputs, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        return np.asarray(reference_session(model.SerializeToString()).run(None, feeds)[0])

    return infer
