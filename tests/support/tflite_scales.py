"""Every integer kernel of LiteRT with random scales and zero points: one operator a file.

Scales are random floats, powers of two, or small odd numbers times powers of two. The second and third make exact
halves; the first are where a multiplier computed in f32 differs from one computed in f64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.support.tflite_cases import Array, Case, Tensor, constant

STYLES = ("any", "powers of two", "few bits")
KINDS = ("INT8", "UINT8", "INT16")
IMAGE, ROWS = (1, 6, 6, 4), (4, 64)
SHARE = {"LOGISTIC": 2.0**-8, "SOFTMAX": 2.0**-8, "TANH": 2.0**-7, "LOG_SOFTMAX": 2.0**-4, "L2_NORMALIZATION": 2.0**-7}
POINTS = {"LOGISTIC": -128, "SOFTMAX": -128, "TANH": 0, "LOG_SOFTMAX": 127, "L2_NORMALIZATION": 0}
TABLES = {
    "SOFTMAX": ("SoftmaxOptions", {"Beta": 1.0}),
    "LOG_SOFTMAX": ("LogSoftmaxOptions", {}),
    "L2_NORMALIZATION": ("L2NormOptions", {}),
}


@dataclass(frozen=True)
class Drawn:
    """Random scales of a style and tensors of a kind of integers."""

    rng: np.random.Generator
    style: str
    kind: str

    @property
    def is_wide(self) -> bool:
        """True for 16 bits, whose zero points are 0 and whose scales are smaller."""
        return self.kind == "INT16"

    def scale(self, low: float = 0.005, high: float = 0.2) -> float:
        """A scale between two, or near them."""
        ends = np.log2([low, high])
        if self.style == "powers of two":
            return float(2.0 ** self.rng.integers(np.floor(ends[0]), np.ceil(ends[1]) + 1))
        if self.style == "few bits":
            return float(
                self.rng.integers(1, 16) * 2.0 ** self.rng.integers(np.floor(ends[0]) - 3, np.ceil(ends[1]) - 2)
            )
        return float(np.float32(2.0 ** self.rng.uniform(*ends)))

    def point(self, kind: str = "") -> int:
        """A zero point of a kind."""
        low, high = {"INT8": (-128, 128), "UINT8": (0, 256), "INT16": (0, 1)}[kind or self.kind]
        return int(self.rng.integers(low, high))

    def tensor(self, *sizes: int, low: float = 0.005, high: float = 0.2, kind: str = "") -> Tensor:
        """A tensor of the kind, with a scale and zero point of its own."""
        kind = kind or self.kind
        return Tensor(sizes, self.scale(low, high) / (256 if kind == "INT16" else 1), self.point(kind), kind)

    def like(self, tensor: Tensor, *sizes: int) -> Tensor:
        """A tensor of another shape with the same scale and zero point."""
        return Tensor(sizes, tensor.scale, tensor.zero_point, tensor.kind)

    def integers(self, *sizes: int) -> Array:
        """Integers of weights: 8 bits of the kind's sign."""
        return self.rng.integers(*((0, 256) if self.kind == "UINT8" else (-127, 128)), sizes)

    def weights(self, *sizes: int, dimension: int = 0, by_channel: bool = False) -> Tensor:
        """Constant weights with one scale or one for each output; unsigned ones have a zero point."""
        count = sizes[dimension] if by_channel else 1
        scales = [self.scale(0.005, 0.1) for _ in range(count)]
        is_unsigned = self.kind == "UINT8"
        point = int(self.rng.integers(1, 255)) if is_unsigned else 0
        given = scales if by_channel else scales[0]
        kind = "UINT8" if is_unsigned else "INT8"
        return constant(self.integers(*sizes), kind, given, zero_point=point, dimension=dimension)

    def bias(self, count: int, lhs: Tensor, rhs: Tensor) -> Tensor:
        """A constant bias at the scales of the sums."""
        (scale,) = lhs.scales
        numbers = self.rng.integers(-3000, 3000, count) * (200 if self.is_wide else 1)
        return constant(numbers, "INT64" if self.is_wide else "INT32", [scale * each for each in rhs.scales])


def cases(rng: np.random.Generator, style: str) -> Iterator[tuple[str, Case]]:
    """Yield every kernel for each kind of integers."""
    for kind in KINDS:
        drawn = Drawn(rng, style, kind)
        for family in (elementwise, functions, windows, reductions, contractions, products, resizes, requantizations):
            for name, case in family(drawn):
                yield f"{name} {kind}", case


def elementwise(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    pair = [drawn.tensor(*ROWS), drawn.tensor(*ROWS)]
    for op, table in (("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions")):
        if drawn.is_wide and op != "MUL" and drawn.style == "powers of two":
            continue  # LiteRT takes them in one form only
        for activation in (0, 3):
            fields = {"FusedActivationFunction": activation}
            yield f"{op} {activation}", Case(op, pair, [drawn.tensor(*ROWS)], table, fields)
    for op, table in (("EQUAL", "EqualOptions"), ("LESS", "LessOptions"), ("GREATER_EQUAL", "GreaterEqualOptions")):
        yield op, Case(op, pair, [Tensor(ROWS, kind="BOOL")], table)
    if drawn.is_wide:
        return
    low = 1 + 128 * (drawn.kind == "UINT8")
    divisor = constant(drawn.rng.integers(low, low + 100, ROWS), drawn.kind, drawn.scale(), zero_point=low - 1)
    yield "DIV", Case("DIV", [pair[0], divisor], [drawn.tensor(*ROWS)], "DivOptions")
    if drawn.kind == "INT8":
        yield "SQUARED_DIFFERENCE", Case("SQUARED_DIFFERENCE", pair, [drawn.tensor(*ROWS)], "SquaredDifferenceOptions")
    else:
        joined = drawn.tensor(8, 64)
        yield "CONCATENATION", Case("CONCATENATION", pair, [joined], "ConcatenationOptions", {"Axis": 0})


def functions(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    given, made = drawn.tensor(*IMAGE), drawn.tensor(*IMAGE)
    slopes = drawn.rng.integers(0 if drawn.kind == "UINT8" else -100, 100, (1, 1, 4))
    kind = "INT8" if drawn.is_wide else drawn.kind
    slope = constant(slopes, kind, drawn.scale(0.005, 0.1), zero_point=drawn.point("UINT8") * (kind == "UINT8"))
    yield "PRELU", Case("PRELU", [given, slope], [made], version=1)
    alpha = {"Alpha": float(np.float32(drawn.rng.uniform(0.01, 0.9)))}
    yield "LEAKY_RELU", Case("LEAKY_RELU", [given], [made], "LeakyReluOptions", alpha)
    for op in ("RELU", "RELU6"):
        yield op, Case(op, [given], [made])
    if drawn.is_wide:
        for op in ("LOGISTIC", "TANH", "SOFTMAX"):
            yield op, Case(op, [given], [Tensor(IMAGE, 2.0**-15, 0, drawn.kind)], *TABLES.get(op, ("", {})))
        return
    yield "RELU_N1_TO_1", Case("RELU_N1_TO_1", [given], [made], version=1)
    yield "HARD_SWISH", Case("HARD_SWISH", [given], [made], "HardSwishOptions", version=1)
    for op, scale in SHARE.items():
        if op != "L2_NORMALIZATION" or drawn.kind == "INT8":
            point = POINTS[op] + 128 * (drawn.kind == "UINT8")
            made = Tensor(IMAGE, scale, point, drawn.kind)
            near = op == "LOG_SOFTMAX"  # documented: close to a tie 1 step off
            yield op, Case(op, [given], [made], *TABLES.get(op, ("", {})), most=int(near))


def windows(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    given = drawn.tensor(*IMAGE)
    fields = {"FilterHeight": 3, "FilterWidth": 2, "StrideH": 2, "StrideW": 2, "Padding": 0}
    for op in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        yield op, Case(op, [given], [drawn.like(given, 1, 3, 3, 4)], "Pool2DOptions", fields)


def reductions(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    for axes, sizes in (([1, 2], (1, 4)), ([3], (1, 6, 6)), ([1], (1, 6, 4))):
        given = drawn.tensor(*IMAGE)
        for op in ("MEAN", "SUM") if drawn.kind == "UINT8" else ("MEAN",):  # SUM reads signed integers as unsigned
            made = [drawn.tensor(*sizes), drawn.like(given, *sizes)][axes == [1, 2] and op == "MEAN"]
            yield f"{op} {axes}", Case(op, [given, constant(axes)], [made], "ReducerOptions", {"KeepDims": False})
            yield (
                f"{op} {axes} rescaled",
                Case(op, [given, constant(axes)], [drawn.tensor(*sizes)], "ReducerOptions", {"KeepDims": False}),
            )


def contractions(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    versions: Mapping[str, int] = {"INT8": 3, "UINT8": 1, "INT16": 4}
    strides = {"StrideH": 1, "StrideW": 1}
    for by_channel in (False,) if drawn.kind == "UINT8" else (False, True):
        image = drawn.tensor(*IMAGE)
        kernel = drawn.weights(5, 3, 3, 4, by_channel=by_channel)
        for activation in (0, 1, 3):
            yield (
                f"CONV_2D {by_channel} {activation}",
                Case(
                    "CONV_2D",
                    [image, kernel, drawn.bias(5, image, kernel)],
                    [drawn.tensor(1, 6, 6, 5, low=0.02, high=2.0)],
                    "Conv2DOptions",
                    {**strides, "FusedActivationFunction": activation},
                    versions[drawn.kind],
                ),
            )
        depthwise = drawn.weights(1, 3, 3, 4, dimension=3, by_channel=by_channel)
        yield (
            f"DEPTHWISE_CONV_2D {by_channel}",
            Case(
                "DEPTHWISE_CONV_2D",
                [image, depthwise, drawn.bias(4, image, depthwise)],
                [drawn.tensor(1, 6, 6, 4, low=0.02, high=2.0)],
                "DepthwiseConv2DOptions",
                {**strides, "DepthMultiplier": 1},
                min(versions[drawn.kind], 3) if not drawn.is_wide else 5,
            ),
        )
        transposed = drawn.weights(5, 3, 3, 4, by_channel=by_channel)
        yield (
            f"TRANSPOSE_CONV {by_channel}",
            Case(
                "TRANSPOSE_CONV",
                [constant([1, 12, 12, 5]), transposed, image, drawn.bias(5, image, transposed)],
                [drawn.tensor(1, 12, 12, 5, low=0.02, high=2.0)],
                "TransposeConvOptions",
                {"StrideH": 2, "StrideW": 2},
                3,
            ),
        )


def products(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    for by_channel in (False,) if drawn.kind == "UINT8" else (False, True):
        rows, matrix = drawn.tensor(32, 24), drawn.weights(5, 24, by_channel=by_channel)
        for bias in (drawn.bias(5, rows, matrix), None):
            yield (
                f"FULLY_CONNECTED {by_channel} {bias is None}",
                Case(
                    "FULLY_CONNECTED",
                    [rows, matrix, bias],
                    [drawn.tensor(32, 5, low=0.02, high=2.0)],
                    "FullyConnectedOptions",
                    version=12 if by_channel else 4,
                ),
            )
    if drawn.kind != "UINT8":
        sides = [drawn.tensor(3, 5, 9), drawn.tensor(3, 9, 6)]
        made = drawn.tensor(3, 5, 6, low=0.02, high=2.0)
        yield (
            "BATCH_MATMUL",
            Case("BATCH_MATMUL", sides, [made], "BatchMatMulOptions", version=4 if drawn.is_wide else 2),
        )


def resizes(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    for centres, corners in ((False, False), (True, False), (False, True)):
        for sizes in ((12, 12), (9, 13)):
            given = drawn.tensor(*IMAGE)
            fields: dict[str, Any] = {"HalfPixelCenters": centres, "AlignCorners": corners}
            made = drawn.like(given, 1, *sizes, 4)
            yield (
                f"RESIZE_BILINEAR {centres} {corners} {sizes[0]}",
                Case("RESIZE_BILINEAR", [given, constant(list(sizes))], [made], "ResizeBilinearOptions", fields, 3),
            )


def requantizations(drawn: Drawn) -> Iterator[tuple[str, Case]]:
    for kind in KINDS:
        if (drawn.kind, kind) != ("INT16", "UINT8"):  # LiteRT has no kernel for it
            made = drawn.tensor(*ROWS, kind=kind)
            yield f"QUANTIZE to {kind}", Case("QUANTIZE", [drawn.tensor(*ROWS)], [made], "QuantizeOptions")
