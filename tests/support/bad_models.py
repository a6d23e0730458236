"""A small good model, and what strangers' files do to it: one function a way of being bad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from onnx import (
    AttributeProto,
    FunctionProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

Edit: TypeAlias = Callable[[ModelProto], None]

HUGE = 2**40


def good_model() -> ModelProto:
    """``x -> QuantizeLinear 'quantize' -> Conv 'conv' of dequantized values -> Relu 'relu' -> y``."""
    weight = np.ones((2, 3, 3, 3), np.int8)
    initializers = [
        numpy_helper.from_array(np.asarray(0.1, np.float32), "scale"),
        numpy_helper.from_array(np.asarray(3, np.int8), "zero"),
        numpy_helper.from_array(weight, "w"),
        numpy_helper.from_array(np.full(2, 0.01, np.float32), "w_scale"),
        numpy_helper.from_array(np.zeros(2, np.int8), "w_zero"),
    ]
    node = helper.make_node
    nodes = [
        node("QuantizeLinear", ["x", "scale", "zero"], ["q"], "quantize"),
        node("DequantizeLinear", ["q", "scale", "zero"], ["d"], "dequantize"),
        node("DequantizeLinear", ["w", "w_scale", "w_zero"], ["wd"], "weights", axis=0),
        node("Conv", ["d", "wd"], ["c"], "conv", pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", ["c"], ["y"], "relu"),
    ]
    graph = helper.make_graph(nodes, "good", [_image("x")], [helper.make_empty_tensor_value_info("y")], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def _image(name: str) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, 3, 8, 8))


def node_of(model: ModelProto, name: str) -> NodeProto:
    return next(node for node in model.graph.node if node.name == name)


def initializer(model: ModelProto, name: str) -> TensorProto:
    return next(tensor for tensor in model.graph.initializer if tensor.name == name)


def holding(name: str, value: Any, dtype: type[np.generic]) -> Edit:
    """An initializer with other values."""
    array = np.asarray(value, dtype)
    return lambda model: initializer(model, name).CopyFrom(numpy_helper.from_array(array, name))


def input_shape(*sizes: int) -> Edit:
    def edit(model: ModelProto) -> None:
        model.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes))

    return edit


def attribute(node: str, name: str, value: Any) -> Edit:
    """An attribute set anew."""

    def edit(model: ModelProto) -> None:
        found = node_of(model, node)
        kept = [other for other in found.attribute if other.name != name]
        del found.attribute[:]
        found.attribute.extend([*kept, helper.make_attribute(name, value)])

    return edit


def inputs(node: str, *names: str) -> Edit:
    def edit(model: ModelProto) -> None:
        found = node_of(model, node)
        del found.input[:]
        found.input.extend(names)

    return edit


def outputs(node: str, *names: str) -> Edit:
    def edit(model: ModelProto) -> None:
        found = node_of(model, node)
        del found.output[:]
        found.output.extend(names)

    return edit


def operator(node: str, op_type: str, domain: str = "") -> Edit:
    def edit(model: ModelProto) -> None:
        found = node_of(model, node)
        found.op_type, found.domain = op_type, domain
        del found.attribute[:]

    return edit


def last(op_type: str, *constants: Any, **attributes: Any) -> Edit:
    """The ReLU at the end becomes another operator whose further inputs are constants."""

    def edit(model: ModelProto) -> None:
        names = [f"k{i}" for i in range(len(constants))]
        model.graph.initializer.extend(map(numpy_helper.from_array, map(np.asarray, constants), names))
        node_of(model, "relu").CopyFrom(helper.make_node(op_type, ["c", *names], ["y"], "last", **attributes))

    return edit


def of_constants(op_type: str, *constants: Any, **attributes: Any) -> Edit:
    """The ReLU at the end becomes an operator on constants alone."""

    def edit(model: ModelProto) -> None:
        last(op_type, *constants, **attributes)(model)
        del node_of(model, "last").input[0]

    return edit


def dims(name: str, *sizes: int) -> Edit:
    """An initializer's shape changed, its data left."""

    def edit(model: ModelProto) -> None:
        tensor = initializer(model, name)
        del tensor.dims[:]
        tensor.dims.extend(sizes)

    return edit


def no_data(name: str, *sizes: int) -> Edit:
    def edit(model: ModelProto) -> None:
        dims(name, *sizes)(model)
        initializer(model, name).ClearField("raw_data")

    return edit


def element_type(name: str, data_type: int) -> Edit:
    def edit(model: ModelProto) -> None:
        initializer(model, name).data_type = data_type

    return edit


def several(*edits: Edit) -> Edit:
    def edit(model: ModelProto) -> None:
        for one in edits:
            one(model)

    return edit


def twice(kind: str) -> Edit:
    """The last initializer or input is there twice."""

    def edit(model: ModelProto) -> None:
        values = getattr(model.graph, kind)
        values.append(values[-1])

    return edit


def without_outputs(model: ModelProto) -> None:
    model.graph.ClearField("output")


def cyclic(model: ModelProto) -> None:
    inputs("quantize", "y", "scale", "zero")(model)


def sparse(model: ModelProto) -> None:
    model.graph.sparse_initializer.add().values.CopyFrom(initializer(model, "w"))


def input_type(**kind: Any) -> Edit:
    """An input that is a sequence, an optional or nothing."""

    def edit(model: ModelProto) -> None:
        model.graph.input[0].type.Clear()
        for name, value in kind.items():
            getattr(model.graph.input[0].type, name).CopyFrom(value)

    return edit


def subgraph(op_type: str, name: str) -> Edit:
    """A node with a graph in an attribute."""

    def edit(model: ModelProto) -> None:
        operator("relu", op_type)(model)
        body = helper.make_graph([helper.make_node("Relu", ["c"], ["inner"])], "body", [], [])
        node_of(model, "relu").attribute.append(helper.make_attribute(name, body))

    return edit


def opsets(*imported: tuple[str, int]) -> Edit:
    def edit(model: ModelProto) -> None:
        del model.opset_import[:]
        model.opset_import.extend(helper.make_opsetid(*pair) for pair in imported)

    return edit


def functions(*bodies: tuple[str, str]) -> Edit:
    """Functions of one call each, the ReLU calling the first."""

    def edit(model: ModelProto) -> None:
        own = helper.make_opsetid("own", 1)
        model.opset_import.append(own)
        operator("relu", bodies[0][0], "own")(model)
        for name, called in bodies:
            domain = "own" if called != "Relu" else ""
            inner = helper.make_node(called, ["a"], ["b"], domain=domain)
            model.functions.append(_function(name, inner, [own, helper.make_opsetid("", 21)]))

    return edit


def _function(name: str, node: NodeProto, imported: list[Any]) -> FunctionProto:
    return helper.make_function("own", name, ["a"], ["b"], [node], imported)


def explosive(levels: int) -> Edit:
    """Functions each of which calls the next one ten times."""

    def edit(model: ModelProto) -> None:
        functions(*((f"F{i}", f"F{i + 1}" if i < levels else "Relu") for i in range(levels + 1)))(model)
        for function in model.functions:
            function.node.extend([function.node[0]] * 9)
            for i, node in enumerate(function.node):
                node.output[0] = f"b{i}" if i else "b"

    return edit


def no_utf8(field: str) -> Callable[[bytes], bytes]:
    """The bytes of a name replaced by others of the same length that are no UTF-8."""
    return lambda data: data.replace(field.encode(), b"\xff" * len(field))


def external(**entries: str) -> Edit:
    """The weights in another file."""

    def edit(model: ModelProto) -> None:
        tensor = initializer(model, "w")
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)

    return edit


def wrong_kind(node: str, name: str, kind: AttributeProto.AttributeType) -> Edit:
    def edit(model: ModelProto) -> None:
        for found in node_of(model, node).attribute:
            if found.name == name:
                found.type = kind

    return edit


EDITS: dict[str, Edit] = {
    "unknown operator": operator("relu", "NoSuchThing"),
    "operator without a name": operator("relu", ""),
    "unknown domain": operator("relu", "Relu", "com.example"),
    "cycle": cyclic,
    "node feeding itself": inputs("relu", "y"),
    "missing tensor": inputs("relu", "nothing"),
    "output made by no node": outputs("relu", "z"),
    "no outputs": outputs("relu"),
    "made twice": outputs("dequantize", "c"),
    "overwrites initializer": outputs("dequantize", "w"),
    "overwrites input": outputs("dequantize", "x"),
    "initializer twice": twice("initializer"),
    "input twice": twice("input"),
    "graph without outputs": without_outputs,
    "zero scale": holding("scale", 0, np.float32),
    "nan scale": holding("scale", np.nan, np.float32),
    "negative scale": holding("scale", -0.5, np.float32),
    "inf scale": holding("scale", np.inf, np.float32),
    "zero point out of range": holding("w_zero", [0, 200], np.int32),
    "integer scale": holding("scale", 1, np.int32),
    "scale at run time": inputs("quantize", "x", "x", "zero"),
    "zero point of float": holding("zero", 3, np.float32),
    "other number of zero points": holding("w_zero", [0, 0, 0], np.int8),
    "scales that do not fit the axis": several(
        holding("w_scale", [0.1] * 5, np.float32), holding("w_zero", [0] * 5, np.int8)
    ),
    "axis outside the rank": attribute("weights", "axis", 7),
    "2^40 in an input's shape": input_shape(1, 3, HUGE, 8),
    "negative size of an input": input_shape(1, 3, -8, 8),
    "Expand to 2^40": last("Expand", [1, 2, HUGE, 8]),
    "Expand of a scalar to 2^40": of_constants("Expand", np.float32(1), [HUGE]),
    "Reshape to 2^40": last("Reshape", [HUGE]),
    "Reshape of a constant to 2^40": of_constants("Reshape", np.zeros(4, np.float32), [HUGE, -1]),
    "ConstantOfShape 2^40": of_constants("ConstantOfShape", [HUGE]),
    "ConstantOfShape 2^20 x 2^20": of_constants("ConstantOfShape", [2**20, 2**20]),
    "Tile 2^40 times": last("Tile", [1, 1, HUGE, 1]),
    "Range to 2^40": of_constants("Range", np.int64(0), np.int64(HUGE), np.int64(1)),
    "Pad by 2^40": last("Pad", [0, 0, HUGE, 0, 0, 0, 0, 0]),
    "Resize by 10^12": last("Resize", np.zeros(0, np.float32), np.asarray([1, 1, 1e12, 1], np.float32)),
    "Range to NaN": of_constants("Range", np.float32(0), np.float32(np.nan), np.float32(1)),
    "2^40 in an initializer's shape": dims("w", HUGE, 3, 3, 3),
    "2^40 elements and no data": no_data("w", HUGE),
    "negative size of an initializer": dims("w", -2, 3, 3, 3),
    "initializer too short": dims("w", 2, 3, 3, 4),
    "initializer without data": no_data("w", 2, 3, 3, 3),
    "string elements": element_type("w", TensorProto.STRING),
    "complex elements": element_type("w", TensorProto.COMPLEX64),
    "element type 99": element_type("w", 99),
    "element type 0": element_type("w", 0),
    "pads of 2^40": attribute("conv", "pads", [HUGE, 0, 0, 0]),
    "pads of 2^31 everywhere": attribute("conv", "pads", [2**31] * 4),
    "negative pads": attribute("conv", "pads", [-1, 0, 0, 0]),
    "zero strides": attribute("conv", "strides", [0, 1]),
    "kernel_shape of 2^40": attribute("conv", "kernel_shape", [HUGE, 3]),
    "dilations of 2^40": attribute("conv", "dilations", [HUGE, 1]),
    "group 0": attribute("conv", "group", 0),
    "group 7": attribute("conv", "group", 7),
    "group -1": attribute("conv", "group", -1),
    "pool with a kernel of 2^40": last("MaxPool", kernel_shape=[HUGE, 1]),
    "pool with strides 0": last("MaxPool", kernel_shape=[2, 2], strides=[0, 0]),
    "pool with pads of 2^40": last("AveragePool", kernel_shape=[2, 2], pads=[HUGE] * 4),
    "no inputs": inputs("relu"),
    "one input of two": inputs("conv", "d"),
    "empty input": inputs("relu", ""),
    "text for a list": attribute("conv", "strides", "two"),
    "list for an integer": attribute("conv", "group", [1]),
    "float for an integer": attribute("weights", "axis", 0.5),
    "list marked as an integer": wrong_kind("conv", "strides", AttributeProto.INT),
    "unknown attribute": attribute("relu", "colour", 3),
    "NaN in a shape": last("Reshape", np.asarray([np.nan], np.float32)),
    "no permutation": last("Transpose", perm=[0, 1, 2, 9]),
    "no opset import": opsets(),
    "opset 99": opsets(("", 99)),
    "opset 1": opsets(("", 1)),
    "opset -5": opsets(("", -5)),
    "sparse initializer": sparse,
    "input that is a sequence": input_type(
        sequence_type=TypeProto.Sequence(elem_type=helper.make_tensor_type_proto(1, [1]))
    ),
    "input that is optional": input_type(
        optional_type=TypeProto.Optional(elem_type=helper.make_tensor_type_proto(1, [1]))
    ),
    "input without a type": input_type(),
    "input without a shape": input_type(tensor_type=TypeProto.Tensor(elem_type=1)),
    "input of strings": input_type(tensor_type=helper.make_tensor_type_proto(TensorProto.STRING, [1]).tensor_type),
    "input with unknown sizes": input_type(
        tensor_type=helper.make_tensor_type_proto(1, ["n", "c", 8, "w"]).tensor_type
    ),
    "If": subgraph("If", "then_branch"),
    "Loop": subgraph("Loop", "body"),
    "functions that call each other": functions(("F", "G"), ("G", "F")),
    "function that is not there": functions(("F", "H")),
    "too many inputs": inputs("relu", "c", "c", "c"),
    "70 dimensions": input_shape(*[1] * 70),
    "unknown operator of an imported domain": several(
        operator("relu", "Relu", "com.example"), opsets(("", 21), ("com.example", 1))
    ),
    "too many outputs": outputs("relu", "y", "z", "z2"),
    "line breaks and control characters in a name": operator("relu", "No\nsuch\x1b[31mthing"),
    "functions nested too deep": functions(*((f"F{i}", f"F{i + 1}" if i < 80 else "Relu") for i in range(81))),
    "functions that explode": explosive(6),
}
"""Every way a model that decodes may be bad, by what it is called in ``bad_input.txt``."""
