"""Helpers for authors of operators: models of one operator, and what a conversion makes of them.

An operator of your own is one function in a package of yours, a plugin::

    # qconvert_softcap.py
    from xdsl.ir import SSAValue

    from qconvert.dialects import stablehlo
    from qconvert.frontends.onnx import NodeContext, onnx_op


    @onnx_op("SoftCap", domain="com.example")
    def softcap(ctx: NodeContext) -> SSAValue:
        x = ctx.require_float(ctx.input(0))
        cap = ctx.scalar_like(ctx.number("cap", 50.0), x)
        squashed = ctx.emit(stablehlo.TanhOp(ctx.emit(stablehlo.DivideOp(x, cap))))
        return ctx.emit(stablehlo.MultiplyOp(squashed, cap))

The package names its module in its pyproject.toml, and is found once it is installed::

    [project.entry-points."qconvert.plugins"]
    softcap = "qconvert_softcap"

``help(qconvert.frontends.onnx.NodeContext)`` lists the means that a function has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import ModelProto, helper, numpy_helper

from qconvert import api
from qconvert.api import running
from qconvert.engines.base import EngineName

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Quantization:
    """Scale, zero point and storage type of a quantized tensor."""

    scale: float
    zero_point: int = 0
    dtype: type[np.generic] = np.int8


def one_operator(
    op_type: str,
    inputs: Sequence[ArrayLike],
    *,
    domain: str = "",
    opset: int = 21,
    domain_version: int = 1,
    quantization: Quantization | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> bytes:
    """An ONNX model of one operator with the output ``y``.

    ``inputs`` give shapes and types of the graph inputs ``x0``, ``x1``, ...; with ``quantization`` every input goes
    through QuantizeLinear and DequantizeLinear first, and so does the output. ``opset`` is that of the standard
    operators, ``domain_version`` that of ``domain``.
    """
    arrays = [np.asarray(array) for array in inputs]
    names = [f"x{i}" for i in range(len(arrays))]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in zip(names, arrays, strict=True)
    ]
    graph = helper.make_graph([], op_type, infos, [helper.make_empty_tensor_value_info("y")])
    opsets = [helper.make_opsetid("", opset), *([helper.make_opsetid(domain, domain_version)] if domain else [])]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    taken = (
        names if quantization is None else [_rounded(model, name, f"{name}_rounded", quantization) for name in names]
    )
    made = "y" if quantization is None else "y_exact"
    model.graph.node.append(helper.make_node(op_type, taken, [made], "operator", domain=domain, **attributes or {}))
    if quantization is not None:
        _rounded(model, made, "y", quantization)
    data: bytes = model.SerializeToString()
    return data


def _rounded(model: ModelProto, source: str, target: str, quantization: Quantization) -> str:
    """Append QuantizeLinear and DequantizeLinear from ``source`` to ``target``; returns ``target``."""
    parameters = [f"{target}_scale", f"{target}_zero_point"]
    values = (np.float32(quantization.scale), np.asarray(quantization.zero_point, quantization.dtype))
    model.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(v), n) for v, n in zip(values, parameters, strict=True)
    )
    quantized = f"{target}_quantized"
    model.graph.node.append(
        helper.make_node("QuantizeLinear", [source, *parameters], [quantized], f"{target}_quantize")
    )
    model.graph.node.append(helper.make_node("DequantizeLinear", [quantized, *parameters], [target]))
    return target


def stablehlo_text(model: bytes) -> str:
    """The StableHLO that a model becomes."""
    return api.convert(api.load(model)).text


def outputs(model: bytes, inputs: Sequence[ArrayLike], engine: EngineName = EngineName.REFERENCE) -> list[Array]:
    """A model's outputs for positional inputs, converted and run: by our interpreter, or by another engine."""
    loaded = api.load(model)
    feeds = dict(zip(loaded.input_names, map(np.asarray, inputs), strict=True))
    return list(running.run(loaded, feeds, engine=engine).values())


def assert_outputs(
    model: bytes,
    inputs: Sequence[ArrayLike],
    expected: Sequence[ArrayLike],
    engine: EngineName = EngineName.REFERENCE,
) -> None:
    """Assert that every element of the outputs is the expected one, NaN equal to NaN."""
    for found, wanted in zip(outputs(model, inputs, engine), expected, strict=True):
        np.testing.assert_array_equal(found, np.asarray(wanted))
