"""The table of operators by types of floats: one op of StableHLO between conversions, or one ONNX model of such floats.

A row is accepted by a format, and its file gives the same floats in the format's own tool, or it is refused by node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from qconvert import Format
from qconvert.support.errors import EngineError
from tests.graphs.case import Case, Kind, Outcome
from tests.graphs.checking import references
from tests.graphs.source import Source
from tests.graphs.targets import Attempt, opened, run_all

ELEMENTS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f64": np.float64,
}
_NUMBERS = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]}"


def _reduced(function: str) -> tuple[str, str]:
    """Return the text of a reduction of the rows, and its shape."""
    body = f"%s = stablehlo.{function} %x, %y : tensor<T> stablehlo.return %s : tensor<T>"
    head = '%r = "stablehlo.reduce"(%a, %zero) ({ ^bb0(%x: tensor<T>, %y: tensor<T>): '
    return head + body + " }) {dimensions = array<i64: 1>} : (tensor<3x4xT>, tensor<T>) -> tensor<3xT>", "3"


def _convolved(groups: int, outputs: int) -> tuple[str, str]:
    """Return the text of a convolution with two features, and its shape."""
    kernel, sizes = f"tensor<2x2x{2 // groups}x{outputs}xT>", f"1x2x1x{outputs}"
    text = (
        "%i = stablehlo.reshape %a : (tensor<3x4xT>) -> tensor<1x3x2x2xT> "
        f"%k = stablehlo.constant dense<0.5> : {kernel} "
        f"%r = stablehlo.convolution(%i, %k) {_NUMBERS} "
        f"{{feature_group_count = {groups} : i64, batch_group_count = 1 : i64}} : "
        f"(tensor<1x3x2x2xT>, {kernel}) -> tensor<{sizes}xT>"
    )
    return text, sizes


_UNARY = [
    "abs",
    "ceil",
    "cosine",
    "exponential",
    "floor",
    "log",
    "logistic",
    "negate",
    "rsqrt",
    "sine",
    "sqrt",
    "tanh",
    "cbrt",
    "sign",
    "log_plus_one",
]
_BINARY = ["add", "divide", "maximum", "minimum", "multiply", "subtract", "power", "remainder", "atan2"]

FORMS: dict[str, tuple[str, str]] = {
    **{name: (f"%r = stablehlo.{name} %a : tensor<3x4xT>", "3x4") for name in _UNARY},
    **{name: (f"%r = stablehlo.{name} %a, %b : tensor<3x4xT>", "3x4") for name in _BINARY},
    "dot_general": (
        (
            "%t = stablehlo.transpose %b, dims = [1, 0] : (tensor<3x4xT>) -> tensor<4x3xT> "
            "%r = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<3x4xT>, tensor<4x3xT>) -> "
            "tensor<3x3xT>"
        ),
        "3x3",
    ),
    "batched dot_general": (
        (
            "%c = stablehlo.reshape %a : (tensor<3x4xT>) -> tensor<3x2x2xT> "
            "%r = stablehlo.dot_general %c, %c, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
            "(tensor<3x2x2xT>, tensor<3x2x2xT>) -> tensor<3x2x2xT>"
        ),
        "3x2x2",
    ),
    "convolution": _convolved(1, 3),
    "depthwise convolution": _convolved(2, 2),
    **{f"reduce {name}": _reduced(name) for name in ("add", "maximum", "minimum")},
    "broadcast_in_dim": (
        "%r = stablehlo.broadcast_in_dim %a, dims = [1, 2] : (tensor<3x4xT>) -> tensor<2x3x4xT>",
        "2x3x4",
    ),
    "clamp": ("%r = stablehlo.clamp %zero, %a, %b : (tensor<T>, tensor<3x4xT>, tensor<3x4xT>) -> tensor<3x4xT>", "3x4"),
    "compare": (
        (
            "%p = stablehlo.compare GT, %a, %b, FLOAT : (tensor<3x4xT>, tensor<3x4xT>) -> tensor<3x4xi1> "
            "%r = stablehlo.select %p, %b, %a : tensor<3x4xi1>, tensor<3x4xT>"
        ),
        "3x4",
    ),
    "concatenate": (
        "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3x4xT>, tensor<3x4xT>) -> tensor<6x4xT>",
        "6x4",
    ),
    "pad": (
        (
            "%r = stablehlo.pad %a, %zero, low = [1, 0], high = [0, 2], interior = [0, 0] : "
            "(tensor<3x4xT>, tensor<T>) -> "
            "tensor<4x6xT>"
        ),
        "4x6",
    ),
    "reshape": ("%r = stablehlo.reshape %a : (tensor<3x4xT>) -> tensor<2x6xT>", "2x6"),
    "reverse": ("%r = stablehlo.reverse %a, dims = [1] : tensor<3x4xT>", "3x4"),
    "slice": ("%r = stablehlo.slice %a [0:2, 1:4:2] : (tensor<3x4xT>) -> tensor<2x2xT>", "2x2"),
    "transpose": ("%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x4xT>) -> tensor<4x3xT>", "4x3"),
}
"""The text of each op on %a and %b of the shape 3x4, with a scalar %zero, and the shape of its result %r."""


@dataclass(frozen=True)
class FloatRow(Source):
    """One op of StableHLO on floats of a type."""

    name: str
    element: str
    seed: int = 0
    suffix: str = ".mlir"

    @property
    def label(self) -> str:  # type: ignore[override]
        """The row's name."""
        return f"{self.name}, {self.element}"

    def case(self) -> Case:
        """Return the text and its samples."""
        body, sizes = FORMS[self.name]
        result = f"tensor<{sizes}xf32>"
        text = (
            "func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) -> " + result + " {\n"
            "  %a = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xT>\n"
            "  %b = stablehlo.convert %arg1 : (tensor<3x4xf32>) -> tensor<3x4xT>\n"
            "  %zero = stablehlo.constant dense<0.0> : tensor<T>\n"
            f"  {body}\n"
            f"  %f = stablehlo.convert %r : (tensor<{sizes}xT>) -> {result}\n"
            f"  return %f : {result}\n}}\n"
        )
        rng = np.random.default_rng(4)
        samples = [{f"arg{i}": rng.uniform(0.2, 1.5, (3, 4)).astype(np.float32) for i in range(2)} for _ in range(2)]
        content = text.replace("xT>", f"x{self.element}>").replace("<T>", f"<{self.element}>")
        return Case(self.label, content.encode(), tuple(samples), "stablehlo", (self.name,))

    def smaller(self) -> Iterator[FloatRow]:
        """Yield nothing: a row is one op."""
        yield from ()


def float_rows() -> list[FloatRow]:
    """Return all rows of the table."""
    return [FloatRow(name, element) for name in FORMS for element in ELEMENTS]


def examined(rows: Sequence[FloatRow], formats: Sequence[Format]) -> list[dict[Format, Outcome]]:
    """Return the outcome of each row in each format; one that jaxlib does not run has none where it is accepted."""
    cases = [row.case() for row in rows]
    models = [opened(case) for case in cases]
    expected = references(cases, models)
    found: list[dict[Format, Outcome]] = [{} for _ in rows]
    attempts: list[tuple[int, Attempt]] = []
    for i, (case, model, answer) in enumerate(zip(cases, models, expected, strict=True)):
        if isinstance(model, Outcome):
            found[i] = dict.fromkeys(formats, model)
        else:
            results = [] if isinstance(answer, EngineError) else answer
            attempts += [(i, Attempt(case, to, model, results)) for to in formats]
    run_all([attempt for _, attempt in attempts])
    for i, attempt in attempts:
        found[i][attempt.to] = attempt.outcome or _judged(attempt, ELEMENTS[rows[i].element])
    return found


def _judged(attempt: Attempt, element: type[np.generic]) -> Outcome:
    """Return whether results are equal, or two steps of the type apart: formats sum in another order or more bits."""
    assert attempt.results is not None
    epsilon = max(float(ml_dtypes.finfo(element).eps), 2.0**-23)
    kind, text = Kind.EQUAL, ""
    for ours, theirs in zip(attempt.results, attempt.expected, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            if a.shape != b.shape:
                return Outcome(Kind.WRONG, f"{a.shape} instead of {b.shape}")
            apart = float(np.nanmax(np.abs(a - b))) if a.size else 0.0
            largest = float(np.nanmax(np.abs(b)))
            if apart > 2 * epsilon * largest or not np.array_equal(np.isnan(a), np.isnan(b)):
                return Outcome(Kind.WRONG, f"{apart:.4g} apart, the largest is {largest:.4g}")
            kind = Kind.EXPLAINED if apart else kind
    return Outcome(kind, text)
