"""One operator a graph, for every operator that the writer of TFLite emits, with tensors of any element type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tflite import ActivationFunctionType, Padding, TensorType
from tflite import BuiltinOperator as Code
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, Signedness
from xdsl.ir import Attribute

from qconvert.backends.tflite.graph import NO_OPTIONS, Field, Graph, Operator, Options, Tensor
from qconvert.ir import Storage, UniformQuantizedType, i32, numpy_dtype, storage_element

PLAIN: dict[str, Attribute] = {
    "bool": IntegerType(1),
    "f16": Float16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    "bf16": BFloat16Type(),
} | {
    f"{sign}{width}": IntegerType(width, Signedness.SIGNLESS if sign == "i" else Signedness.UNSIGNED)
    for sign, widths in (("i", (4, 8, 16, 32, 64)), ("u", (8, 16, 32, 64)))
    for width in widths
}
"""Element types without scales by short names."""

STORAGES = {
    f"{sign}{width}": Storage.full(width, signed=sign == "i")
    for sign, widths in (("i", (4, 8, 16, 32)), ("u", (8, 16)))
    for width in widths
}


def scaled(storage: str, scale: float = 0.5, zero_point: int = 0) -> UniformQuantizedType:
    """Return a type with one scale."""
    return UniformQuantizedType.per_tensor(STORAGES[storage], scale, zero_point)


def along(storage: str, size: int, axis: int) -> UniformQuantizedType:
    """Return a type with a scale for each slice along an axis."""
    scales = 0.5 ** (1 + np.arange(size) % 3)
    return UniformQuantizedType.per_axis(STORAGES[storage], scales, np.zeros(size, np.int64), axis)


@dataclass(frozen=True)
class Slot:
    """A tensor of an operator: ``element`` is None where it has the element type of the operand that is tried."""

    shape: tuple[int, ...]
    element: Attribute | None = None
    data: NDArray[Any] | None = None
    is_known: bool = False


def data(*shape: int) -> Slot:
    """Return a tensor of the type that is tried."""
    return Slot(shape)


def listed(*numbers: int) -> Slot:
    """Return a constant list of int32."""
    return Slot((len(numbers),), i32, np.asarray(numbers, np.int32))


@dataclass(frozen=True)
class Form:
    """An operator with its tensors: the smallest model of it."""

    code: int
    inputs: Sequence[Slot]
    output: Slot
    options: Options = NO_OPTIONS
    fixed: dict[int, UniformQuantizedType] = field(default_factory=dict)
    """The result's type by the width of a quantized operand, for kernels that have one scale for it."""
    version: int = 1

    def graph(self, element: Attribute) -> Graph:
        """Return the graph with tensors of ``element``."""
        inputs = [_tensor(f"x{i}", slot, element) for i, slot in enumerate(self.inputs)]
        result = element
        if isinstance(element, UniformQuantizedType) and element.is_per_tensor:
            fixed = self.fixed.get(element.storage.width, element)
            result = fixed if element.storage.signed or fixed is element else fixed.unsigned
        output = _tensor("y", self.output, result)
        fed = [tensor for tensor in inputs if tensor.data is None]
        return Graph(fed, [output], [Operator(self.code, self.version, inputs, [output], self.options, "node")])


def _tensor(name: str, slot: Slot, element: Attribute) -> Tensor:
    kind = element if slot.element is None else slot.element
    held = slot.data
    if slot.is_known:
        held = np.ones(slot.shape, numpy_dtype(storage_element(kind)))
    return Tensor(name, slot.shape, kind, held)


def feeds(graph: Graph) -> dict[str, NDArray[Any]]:
    """Return fives for the inputs of a graph: more than the zero points that are tried."""
    return {
        tensor.name: np.full(tensor.shape, 5).astype(numpy_dtype(storage_element(tensor.element)))
        for tensor in graph.inputs
    }


def elements(form: Form) -> Iterator[tuple[str, Attribute]]:
    """Yield the element types to try with their names: plain, of one scale, with a zero point, along each axis."""
    yield from PLAIN.items()
    for storage in STORAGES:
        yield f"{storage} scaled", scaled(storage)
    for storage in ("i8", "u8", "i16"):
        yield f"{storage} with zero point", scaled(storage, zero_point=3)
    sizes = next(slot.shape for slot in (*form.inputs, form.output) if slot.element is None)
    for storage in ("i4", "i8", "u8", "i16"):
        for axis, size in enumerate(sizes):
            yield f"{storage} along {axis}", along(storage, size, axis)


_IMAGE, _ROWS = (1, 4, 4, 2), (2, 4)


def _unary(code: int, table: str = "NONE", **fixed: UniformQuantizedType) -> Form:
    return Form(
        code, [data(*_ROWS)], data(*_ROWS), _options(table), {int(key[1:]): value for key, value in fixed.items()}
    )


def _binary(code: int, table: str, result: Attribute | None = None) -> Form:
    return Form(code, [data(*_ROWS), data(*_ROWS)], Slot(_ROWS, result), _options(table))


def _options(table: str, **fields: Field) -> Options:
    return NO_OPTIONS if table == "NONE" else Options(table, fields)


def _pool(code: int) -> Form:
    fields: dict[str, Field] = {"StrideH": 2, "StrideW": 2, "FilterHeight": 2, "FilterWidth": 2}
    fields |= {"Padding": Padding.VALID, "FusedActivationFunction": ActivationFunctionType.NONE}
    return Form(code, [data(*_IMAGE)], data(1, 2, 2, 2), Options("Pool2DOptions", fields))


def _reduced(code: int) -> Form:
    return Form(code, [data(*_ROWS), listed(1)], data(2), Options("ReducerOptions", {"KeepDims": False}))


_SHARE = {"_8": scaled("i8", 2.0**-8, -128), "_16": scaled("i16", 2.0**-15)}
_TRUTH, _FLOAT = PLAIN["bool"], PLAIN["f32"]

FORMS: dict[str, Form] = {
    "ABS": _unary(Code.ABS, "AbsOptions"),
    "ADD": _binary(Code.ADD, "AddOptions"),
    "ARG_MAX": Form(
        Code.ARG_MAX,
        [data(*_ROWS), Slot((), i32, np.asarray(1, np.int32))],
        Slot((2,), i32),
        Options("ArgMaxOptions", {"OutputType": TensorType.INT32}),
    ),
    "ARG_MIN": Form(
        Code.ARG_MIN,
        [data(*_ROWS), Slot((), i32, np.asarray(1, np.int32))],
        Slot((2,), i32),
        Options("ArgMinOptions", {"OutputType": TensorType.INT32}),
    ),
    "ATAN2": _binary(Code.ATAN2, "ATan2Options"),
    "AVERAGE_POOL_2D": _pool(Code.AVERAGE_POOL_2D),
    "BATCH_MATMUL": Form(
        Code.BATCH_MATMUL, [data(1, 2, 4), data(1, 4, 3)], data(1, 2, 3), Options("BatchMatMulOptions")
    ),
    "BROADCAST_TO": Form(
        Code.BROADCAST_TO, [data(1, 4), listed(2, 4)], data(2, 4), Options("BroadcastToOptions"), version=3
    ),
    "CAST to f32": Form(Code.CAST, [data(*_ROWS)], Slot(_ROWS, _FLOAT), Options("CastOptions")),
    "CAST to i32": Form(Code.CAST, [data(*_ROWS)], Slot(_ROWS, i32), Options("CastOptions")),
    "CAST from f32": Form(Code.CAST, [Slot(_ROWS, _FLOAT)], data(*_ROWS), Options("CastOptions")),
    "CEIL": _unary(Code.CEIL),
    "CONCATENATION": Form(
        Code.CONCATENATION, [data(*_ROWS), data(*_ROWS)], data(2, 8), Options("ConcatenationOptions", {"Axis": 1})
    ),
    "COS": _unary(Code.COS, "CosOptions"),
    "DEQUANTIZE": Form(Code.DEQUANTIZE, [data(*_ROWS)], Slot(_ROWS, _FLOAT), Options("DequantizeOptions")),
    "DIV": _binary(Code.DIV, "DivOptions"),
    "ELU": _unary(Code.ELU),
    "EQUAL": _binary(Code.EQUAL, "EqualOptions", _TRUTH),
    "EXP": _unary(Code.EXP, "ExpOptions"),
    "FLOOR": _unary(Code.FLOOR),
    "GATHER": Form(Code.GATHER, [data(*_ROWS), listed(1, 0)], data(*_ROWS), Options("GatherOptions", {"Axis": 0})),
    "GELU": _unary(Code.GELU, "GeluOptions"),
    "GREATER": _binary(Code.GREATER, "GreaterOptions", _TRUTH),
    "GREATER_EQUAL": _binary(Code.GREATER_EQUAL, "GreaterEqualOptions", _TRUTH),
    "HARD_SWISH": _unary(Code.HARD_SWISH, "HardSwishOptions"),
    "L2_NORMALIZATION": _unary(Code.L2_NORMALIZATION, "L2NormOptions", _8=scaled("i8", 2.0**-7)),
    "LEAKY_RELU": Form(Code.LEAKY_RELU, [data(*_ROWS)], data(*_ROWS), Options("LeakyReluOptions", {"Alpha": 0.1})),
    "LESS": _binary(Code.LESS, "LessOptions", _TRUTH),
    "LESS_EQUAL": _binary(Code.LESS_EQUAL, "LessEqualOptions", _TRUTH),
    "LOG": _unary(Code.LOG),
    "LOGICAL_AND": _binary(Code.LOGICAL_AND, "LogicalAndOptions"),
    "LOGICAL_NOT": _unary(Code.LOGICAL_NOT, "LogicalNotOptions"),
    "LOGICAL_OR": _binary(Code.LOGICAL_OR, "LogicalOrOptions"),
    "LOGISTIC": _unary(Code.LOGISTIC, **_SHARE),
    "LOG_SOFTMAX": _unary(Code.LOG_SOFTMAX, "LogSoftmaxOptions", _8=scaled("i8", 2.0**-4, 127)),
    "MAXIMUM": _binary(Code.MAXIMUM, "MaximumMinimumOptions"),
    "MAX_POOL_2D": _pool(Code.MAX_POOL_2D),
    "MEAN": _reduced(Code.MEAN),
    "MINIMUM": _binary(Code.MINIMUM, "MaximumMinimumOptions"),
    "MUL": _binary(Code.MUL, "MulOptions"),
    "NEG": _unary(Code.NEG, "NegOptions"),
    "NOT_EQUAL": _binary(Code.NOT_EQUAL, "NotEqualOptions", _TRUTH),
    "PAD": Form(
        Code.PAD, [data(*_ROWS), Slot((2, 2), i32, np.ones((2, 2), np.int32))], data(4, 6), Options("PadOptions")
    ),
    "PADV2": Form(
        Code.PADV2,
        [data(*_ROWS), Slot((2, 2), i32, np.ones((2, 2), np.int32)), Slot((), is_known=True)],
        data(4, 6),
        Options("PadV2Options"),
    ),
    "POW": _binary(Code.POW, "PowOptions"),
    "PRELU": Form(Code.PRELU, [data(*_ROWS), Slot((4,), is_known=True)], data(*_ROWS)),
    "QUANTIZE": Form(Code.QUANTIZE, [Slot(_ROWS, _FLOAT)], data(*_ROWS), Options("QuantizeOptions")),
    "REDUCE_MAX": _reduced(Code.REDUCE_MAX),
    "REDUCE_MIN": _reduced(Code.REDUCE_MIN),
    "RELU": _unary(Code.RELU),
    "RELU6": _unary(Code.RELU6),
    "RELU_N1_TO_1": _unary(Code.RELU_N1_TO_1),
    "RESHAPE": Form(Code.RESHAPE, [data(2, 4), listed(2, 4)], data(2, 4), Options("ReshapeOptions")),
    "RESIZE_BILINEAR": Form(
        Code.RESIZE_BILINEAR, [data(*_IMAGE), listed(8, 8)], data(1, 8, 8, 2), Options("ResizeBilinearOptions")
    ),
    "RESIZE_NEAREST_NEIGHBOR": Form(
        Code.RESIZE_NEAREST_NEIGHBOR,
        [data(*_IMAGE), listed(8, 8)],
        data(1, 8, 8, 2),
        Options("ResizeNearestNeighborOptions"),
    ),
    "REVERSE_V2": Form(Code.REVERSE_V2, [data(*_ROWS), listed(1)], data(*_ROWS), Options("ReverseV2Options")),
    "ROUND": _unary(Code.ROUND),
    "RSQRT": _unary(Code.RSQRT),
    "SELECT_V2": Form(
        Code.SELECT_V2, [Slot(_ROWS, _TRUTH), data(*_ROWS), data(*_ROWS)], data(*_ROWS), Options("SelectV2Options")
    ),
    "SIGN": _unary(Code.SIGN, "SignOptions"),
    "SIN": _unary(Code.SIN),
    "SLICE": Form(Code.SLICE, [data(*_ROWS), listed(0, 1), listed(2, 2)], data(2, 2), Options("SliceOptions")),
    "SOFTMAX": Form(
        Code.SOFTMAX,
        [data(*_ROWS)],
        data(*_ROWS),
        Options("SoftmaxOptions", {"Beta": 1.0}),
        {8: _SHARE["_8"], 16: _SHARE["_16"]},
    ),
    "SQRT": _unary(Code.SQRT),
    "SQUARED_DIFFERENCE": _binary(Code.SQUARED_DIFFERENCE, "SquaredDifferenceOptions"),
    "STRIDED_SLICE": Form(
        Code.STRIDED_SLICE,
        [data(*_ROWS), listed(0, 0), listed(2, 4), listed(1, 2)],
        data(2, 2),
        Options("StridedSliceOptions"),
    ),
    "SUB": _binary(Code.SUB, "SubOptions"),
    "SUM": _reduced(Code.SUM),
    "TANH": _unary(Code.TANH, _16=_SHARE["_16"]),
    "TRANSPOSE": Form(Code.TRANSPOSE, [data(*_ROWS), listed(1, 0)], data(4, 2), Options("TransposeOptions")),
}
"""The operators whose operands and result have one type, or whose other types are fixed."""


@dataclass(frozen=True)
class Product:
    """An operator with weights: shapes of activations, weights and result, the weights' dimension of the outputs."""

    code: int
    activations: tuple[int, ...]
    weights: tuple[int, ...]
    axis: int
    result: tuple[int, ...]
    options: Options
    versions: tuple[int, int]
    """Without and with the option QuantizedBiasType."""

    def graph(self, element: Attribute, weights: Attribute, bias: Attribute | None, *, names_bias: bool) -> Graph:
        """Return the graph of activations of ``element`` by weights, with a bias whose type the options may name."""
        x, y = Tensor("x", self.activations, element), Tensor("y", self.result, element)
        names_bias = names_bias and self.versions[1] > self.versions[0]  # the older bindings lack the field
        fields = {**self.options.fields, **({"QuantizedBiasType": TensorType.INT32} if names_bias else {})}
        added = None if bias is None else _known("b", (self.weights[self.axis],), bias)
        if added is not None and bias == PLAIN["i64"]:
            added.scales = np.asarray([0.25])
        inputs: list[Tensor | None] = [x, _known("w", self.weights, weights), added]
        if self.code == Code.TRANSPOSE_CONV:
            sizes = Tensor("s", (4,), i32, np.asarray(self.result, np.int32))
            inputs = [sizes, inputs[1], x, added]
        options = Options(self.options.table, fields)
        operator = Operator(self.code, self.versions[names_bias], inputs, [y], options, "node")
        return Graph([x], [y], [operator])


def _known(name: str, shape: tuple[int, ...], element: Attribute) -> Tensor:
    return Tensor(name, shape, element, np.ones(shape, numpy_dtype(storage_element(element))))


_CONVOLUTION: dict[str, Field] = {
    "Padding": Padding.VALID,
    "StrideH": 1,
    "StrideW": 1,
    "DilationHFactor": 1,
    "DilationWFactor": 1,
    "FusedActivationFunction": ActivationFunctionType.NONE,
}
_TRANSPOSED: dict[str, Field] = {"Padding": Padding.SAME, "StrideH": 2, "StrideW": 2, "FusedActivationFunction": 0}

PRODUCTS: dict[str, Product] = {
    "CONV_2D": Product(
        Code.CONV_2D, (1, 4, 4, 2), (3, 2, 2, 2), 0, (1, 3, 3, 3), Options("Conv2DOptions", _CONVOLUTION), (3, 8)
    ),
    "DEPTHWISE_CONV_2D": Product(
        Code.DEPTHWISE_CONV_2D,
        (1, 4, 4, 3),
        (1, 2, 2, 3),
        3,
        (1, 3, 3, 3),
        Options("DepthwiseConv2DOptions", {**_CONVOLUTION, "DepthMultiplier": 1}),
        (3, 3),
    ),
    "FULLY_CONNECTED": Product(
        Code.FULLY_CONNECTED,
        (2, 4),
        (3, 4),
        0,
        (2, 3),
        Options("FullyConnectedOptions", {"KeepNumDims": False}),
        (4, 11),
    ),
    "TRANSPOSE_CONV": Product(
        Code.TRANSPOSE_CONV,
        (1, 4, 4, 2),
        (3, 2, 2, 2),
        0,
        (1, 8, 8, 3),
        Options("TransposeConvOptions", _TRANSPOSED),
        (3, 5),
    ),
}

ACTIVATIONS: dict[str, Attribute] = {
    "f32": _FLOAT,
    "f16": PLAIN["f16"],
    "i8": scaled("i8", zero_point=3),
    "u8": scaled("u8", zero_point=3),
    "i16": scaled("i16"),
    "i16 with zero point": scaled("i16", zero_point=3),
    "i8 along 0": along("i8", 2, 0),
}


def weight_types(product: Product) -> dict[str, Attribute]:
    """Return types of weights by name: floats, integers of one scale, with a zero point, along each dimension."""
    found: dict[str, Attribute] = {"f32": _FLOAT, "f16": PLAIN["f16"], "plain i8": PLAIN["i8"]}
    for storage in ("i4", "i8", "u8", "i16"):
        found[storage] = scaled(storage)
        found[f"{storage} with zero point"] = scaled(storage, zero_point=3)
        found |= {f"{storage} along {axis}": along(storage, size, axis) for axis, size in enumerate(product.weights)}
    return found


def biases(weights: Attribute) -> dict[str, tuple[Attribute | None, bool]]:
    """Return types of a bias by name, and whether the options name its type."""
    scales = weights.scales if isinstance(weights, UniformQuantizedType) else np.ones(1)
    each = UniformQuantizedType.per_axis(STORAGES["i32"], np.full(3, 0.25), np.zeros(3, np.int64), 0)
    wide = each if scales.size == 3 else scaled("i32", 0.25)
    return {
        "f32": (_FLOAT, False),
        "i32": (wide, False),
        "i32 that is named": (wide, True),
        "i32 of one scale": (scaled("i32", 0.25), False),
        "i64": (PLAIN["i64"], False),
        "none": (None, False),
    }
