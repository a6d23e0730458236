"""Small programs with the ops that only StableHLO text brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from qconvert.dialects.verify import verify_module, verify_stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate

Array = npt.NDArray[Any]

Q = "!quant.uniform<i8:f32, 0.5:3>"
RNG = np.random.default_rng(11)
X = RNG.standard_normal((3, 4)).astype(np.float32)
IMAGE = RNG.standard_normal((2, 3, 4)).astype(np.float32)
FEATURES = [RNG.uniform(0.5, 2, 3).astype(np.float32) for _ in range(4)]
BYTES = RNG.integers(-128, 128, (3, 4)).astype(np.int8)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 65504, 65520, 1e38, -3e-8, 1.0009765], np.float32)
ANY = RNG.integers(0, 1 << 32, 4096, np.uint64).astype(np.uint32).view(np.float32)


@dataclass(frozen=True)
class Program:
    """A body over the arguments of @main, the types of arguments and results, and the inputs."""

    body: str
    arguments: tuple[str, ...]
    results: tuple[str, ...]
    inputs: tuple[Array, ...]

    @property
    def text(self) -> str:
        arguments = ", ".join(f"%{name}: {type}" for name, type in zip("abcdefg", self.arguments, strict=False))
        values, types = ", ".join(f"%r{i}" for i in range(len(self.results))), ", ".join(self.results)
        return f"func.func @main({arguments}) -> ({types}) {{\n{self.body}\n  return {values} : {types}\n}}\n"

    def evaluate(self) -> tuple[Array, ...]:
        module = parse_module(self.text)
        verify_module(module)
        verify_stablehlo(module, tuple(op.name for op in module.walk() if op.dialect_name() == "chlo"))
        return evaluate(module, self.inputs)


def binary(kind: str, element: str) -> str:
    scalar = f"tensor<{element}>"
    return (
        f"({{\n  ^bb0(%x: {scalar}, %y: {scalar}):\n    %z = stablehlo.{kind} %x, %y : {scalar}\n"
        f"    stablehlo.return %z : {scalar}\n  }})"
    )


def compare(direction: str, elements: tuple[str, ...], key: int = 0, order: str = "") -> str:
    """A comparator of several inputs that looks at one of them."""
    scalars = [f"tensor<{element}>" for element in elements for _ in range(2)]
    arguments = ", ".join(f"%x{i}: {scalar}" for i, scalar in enumerate(scalars))
    left, right, type = 2 * key, 2 * key + 1, scalars[2 * key]
    return (
        f"({{\n  ^bb0({arguments}):\n"
        f"    %z = stablehlo.compare {direction}, %x{left}, %x{right}{order} : ({type}, {type}) -> tensor<i1>\n"
        f"    stablehlo.return %z : tensor<i1>\n  }})"
    )


def dynamic_slice(element: str, operand: Array, row: int, column: int) -> Program:
    types = (f"tensor<3x4x{element}>", "tensor<i32>", "tensor<i32>")
    result = f"tensor<2x3x{element}>"
    body = f"  %r0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [2, 3] : ({', '.join(types)}) -> {result}"
    return Program(body, types, (result,), (operand, np.array(row, np.int32), np.array(column, np.int32)))


def dynamic_update_slice(element: str, operand: Array, row: int) -> Program:
    types = (f"tensor<3x4x{element}>", f"tensor<2x2x{element}>", "tensor<i64>", "tensor<i64>")
    body = f"  %r0 = stablehlo.dynamic_update_slice %a, %b, %c, %d : ({', '.join(types)}) -> {types[0]}"
    return Program(body, types, types[:1], (operand, operand[1:, 1:3], np.array(row), np.array(1)))


def unary(name: str, argument: str, result: str, value: Array, clause: str = "") -> Program:
    body = f"  %r0 = stablehlo.{name} %a{clause} : ({argument}) -> {result}"
    return Program(body, (argument,), (result,), (value,))


def sort(types: tuple[str, ...], inputs: tuple[Array, ...], dimension: int, comparator: str) -> Program:
    names, results = ", ".join("%abc"[0] + "abc"[i] for i in range(len(types))), ", ".join(types)
    targets = ", ".join(f"%r{i}" for i in range(len(types)))
    body = (
        f'  {targets} = "stablehlo.sort"({names}) <{{dimension = {dimension} : i64, is_stable = true}}> '
        f"{comparator} : ({results}) -> ({results})"
    )
    return Program(body, types, types, inputs)


def scatter(numbers: str, types: tuple[str, str, str], inputs: tuple[Array, ...], computation: str) -> Program:
    body = (
        f'  %r0 = "stablehlo.scatter"(%a, %b, %c) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> '
        f"{computation} : ({', '.join(types)}) -> {types[0]}"
    )
    return Program(body, types, types[:1], inputs)


def batch_norm(kind: str, operands: int, results: int, element: str, *, quantized: bool = False) -> Program:
    image, vector = f"tensor<2x3x4x{element}>", f"tensor<3x{element}>"
    types = [image, *[vector] * (operands - 1)]
    values = [IMAGE, *FEATURES[: operands - 1]]
    if kind == "grad":
        types[-1], values[-1] = image, IMAGE[::-1]
    outs = (image, vector, vector)[:results]
    targets = ", ".join(f"%r{i}" for i in range(results))
    body = (
        f'  {targets} = "stablehlo.batch_norm_{kind}"({", ".join(f"%{name}" for name in "abcde"[:operands])}) '
        f"<{{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}}> : ({', '.join(types)}) -> ({', '.join(outs)})"
    )
    inputs = [np.round(value * 8).astype(np.int8) if quantized else value for value in values]
    return Program(body, tuple(types), outs, tuple(inputs))


def broadcast(element: str, operand: Array) -> Program:
    types, result = (f"tensor<3x4x{element}>", "tensor<3xi64>"), f"tensor<3x2x4x{element}>"
    body = f"  %r0 = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = [0, 2] : ({', '.join(types)}) -> {result}"
    return Program(body, types, (result,), (operand, np.array([3, 2, 4])))


def reshape(target: list[int]) -> Program:
    types, result = ("tensor<3x4xf32>", "tensor<2xi32>"), "tensor<2x6xf32>"
    body = f"  %r0 = stablehlo.dynamic_reshape %a, %b : ({', '.join(types)}) -> {result}"
    return Program(body, types, (result,), (X, np.array(target, np.int32)))


def pad(low: tuple[int, int], high: tuple[int, int], gaps: tuple[int, int], result: str) -> Program:
    types = ("tensor<3x4xf32>", "tensor<f32>", *["tensor<2xi64>"] * 3)
    body = f"  %r0 = stablehlo.dynamic_pad %a, %b, %c, %d, %e : ({', '.join(types)}) -> {result}"
    return Program(body, types, (result,), (X, np.float32(7), *(np.array(part) for part in (low, high, gaps))))


IOTA = Program(
    "  %r0 = stablehlo.dynamic_iota %a, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>",
    ("tensor<2xi64>",),
    ("tensor<2x3xi32>",),
    (np.array([2, 3]),),
)
MAP = Program(
    f"""  %r0 = "stablehlo.map"(%a, %a) <{{dimensions = array<i64: 0, 1>}}> {binary("multiply", Q)}
    : (tensor<3x4x{Q}>, tensor<3x4x{Q}>) -> tensor<3x4x{Q}>""",
    (f"tensor<3x4x{Q}>",),
    (f"tensor<3x4x{Q}>",),
    (BYTES // 16,),
)
PAIR = "tuple<tensor<3x4xf32>, tensor<2xi64>>"
NESTED = f"tuple<{PAIR}, tensor<3x4xf32>>"
TUPLE = Program(
    f"""  %t = stablehlo.tuple %a, %b : {PAIR}
  %u = stablehlo.tuple %t, %a : {NESTED}
  %v = stablehlo.get_tuple_element %u[0] : ({NESTED}) -> {PAIR}
  %w = stablehlo.get_tuple_element %v[1] : ({PAIR}) -> tensor<2xi64>
  %r0, %r1 = stablehlo.optimization_barrier %w, %a : tensor<2xi64>, tensor<3x4xf32>""",
    ("tensor<3x4xf32>", "tensor<2xi64>"),
    ("tensor<2xi64>", "tensor<3x4xf32>"),
    (X, np.array([5, 6])),
)

ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
BATCHES = (
    "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
    "scatter_dims_to_operand_dims = [1], index_vector_dim = 2"
)
WINDOWS = "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0"
KEEP_NEW = "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    stablehlo.return %y : tensor<f32>\n  })"
INTS = RNG.integers(-(2**31), 2**31, 64).astype(np.int32)
MANY = RNG.integers(0, 5, (2, 37)).astype(np.int32)
PLACES = np.array([[2], [0], [2], [-1], [3], [2]], np.int32)
ROW_TYPES = ("tensor<3x4xf32>", "tensor<6x1xi32>", "tensor<6x4xf32>")
UPDATES = RNG.standard_normal((6, 4)).astype(np.float32)


def of_complex(body: str, result: str = "tensor<3x4xcomplex<f32>>") -> Program:
    """A body that makes %v of the complex numbers %z and %w; its parts are the results, as jaxlib returns no others."""
    part = result.replace("complex<f32>", "f32")
    lines = [
        "%z = stablehlo.complex %a, %b : tensor<3x4xcomplex<f32>>",
        "%w = stablehlo.complex %b, %a : tensor<3x4xcomplex<f32>>",
        *body.strip().splitlines(),
        f"%r0 = stablehlo.real %v : ({result}) -> {part}",
        f"%r1 = stablehlo.imag %v : ({result}) -> {part}",
    ]
    return Program("\n".join(lines), ("tensor<3x4xf32>",) * 2, (part, part), (X, X[::-1].copy()))


def complex_function(name: str, operands: str = "%z") -> Program:
    return of_complex(f"%v = stablehlo.{name} {operands} : tensor<3x4xcomplex<f32>>")


Z = "tensor<3x4xcomplex<f32>>"
COMPLEX_CHLO = "acos acosh asin asinh atan atanh cosh sinh tan"
FUNCTIONS = "cosine exponential exponential_minus_one log log_plus_one negate rsqrt sine sqrt tan tanh"
CLOSE = {
    "logistic": complex_function("logistic"),
    "sign": complex_function("sign"),
    "atan2": complex_function("atan2", "%z, %w"),
    "power": complex_function("power", "%z, %w"),
    **{name: of_complex(f"%v = chlo.{name} %z : {Z} -> {Z}") for name in COMPLEX_CHLO.split()},
}
"""Functions of complex numbers that StableHLO's interpreter computes by other formulas in double precision."""
COMPLEX = {
    **{f"complex {name}": complex_function(name) for name in FUNCTIONS.split()},
    **{f"complex {name}": complex_function(name, "%z, %w") for name in ("add", "multiply", "subtract")},
    "complex product": of_complex(
        f"%v = stablehlo.dot_general %z, %w, contracting_dims = [1] x [1] : ({Z}, {Z}) -> tensor<3x3xcomplex<f32>>",
        "tensor<3x3xcomplex<f32>>",
    ),
    "complex abs": of_complex(
        f"%c = stablehlo.abs %z : ({Z}) -> tensor<3x4xf32>\n"
        f"%v = stablehlo.convert %c : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>"
    ),
    "complex comparison": of_complex(
        f"%c = stablehlo.compare NE, %z, %w : ({Z}, {Z}) -> tensor<3x4xi1>\n"
        f"%v = stablehlo.select %c, %z, %w : tensor<3x4xi1>, {Z}"
    ),
    "complex sum": of_complex(
        f"%c = stablehlo.constant dense<(0.5,-1.0)> : tensor<complex<f32>>\n"
        f"%v = stablehlo.reduce(%z init: %c) applies stablehlo.add across dimensions = [0] "
        f": ({Z}, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>",
        "tensor<4xcomplex<f32>>",
    ),
    "parts of floats": unary("imag", "tensor<3x4xf32>", "tensor<3x4xf32>", X),
}

EVALUATED = {
    **COMPLEX,
    "slice": dynamic_slice("f32", X, 1, 1),
    "slice moved inside": dynamic_slice("f32", X, -3, 9),
    "quantized slice": dynamic_slice(Q, BYTES, 0, 1),
    "update": dynamic_update_slice("f32", X, 1),
    "update moved inside": dynamic_update_slice("f32", X, 7),
    "broadcast": broadcast("f32", X),
    "reshape": reshape([2, 6]),
    "iota": IOTA,
    "pad": pad((1, 0), (0, 2), (0, 1), "tensor<4x9xf32>"),
    "crop": pad((-1, 1), (0, -2), (0, 0), "tensor<2x3xf32>"),
    "size": unary("get_dimension_size", "tensor<3x4xf32>", "tensor<i32>", X, ", dim = 1"),
    "finite": unary("is_finite", "tensor<11xf32>", "tensor<11xi1>", SPECIAL),
    "e5m10": unary("reduce_precision", "tensor<11xf32>", "tensor<11xf32>", SPECIAL, ", format = e5m10"),
    "e8m7": unary("reduce_precision", "tensor<4096xf32>", "tensor<4096xf32>", ANY, ", format = e8m7"),
    "e4m3": unary("reduce_precision", "tensor<4096xf32>", "tensor<4096xf32>", ANY, ", format = e4m3"),
    "e3m0": unary("reduce_precision", "tensor<11xf32>", "tensor<11xf32>", SPECIAL, ", format = e3m0"),
    "e9m30": unary("reduce_precision", "tensor<11xf32>", "tensor<11xf32>", SPECIAL, ", format = e9m30"),
    "quantized e5m2": unary("reduce_precision", f"tensor<3x4x{Q}>", f"tensor<3x4x{Q}>", BYTES, ", format = e5m2"),
    "popcnt": unary("popcnt", "tensor<64xi32>", "tensor<64xi32>", INTS),
    "leading zeros": unary("count_leading_zeros", "tensor<64xi32>", "tensor<64xi32>", INTS >> 11),
    "leading zeros of bytes": unary("count_leading_zeros", "tensor<3x4xi8>", "tensor<3x4xi8>", BYTES >> 4),
    "tuple": TUPLE,
    "sort": sort(("tensor<3x4xf32>",), (X,), 1, compare("LT", ("f32",), order=", TOTALORDER")),
    "sort downwards along rows": sort(("tensor<3x4xf32>",), (X,), 0, compare("GT", ("f32",))),
    "stable sort": sort(
        ("tensor<2x37xi32>", "tensor<2x37xi32>"),
        (MANY, np.arange(74, dtype=np.int32).reshape(2, 37)),
        -1,
        compare("LT", ("i32", "i32")),
    ),
    "sort by the second": sort(
        ("tensor<3x4xf32>", "tensor<3x4xi8>"), (X, BYTES % 3), 1, compare("GT", ("f32", "i8"), key=1)
    ),
    "scatter add": scatter(ROWS, ROW_TYPES, (X, PLACES, UPDATES), binary("add", "f32")),
    "scatter last": scatter(ROWS, ROW_TYPES, (X, PLACES, UPDATES), KEEP_NEW),
    "scatter windows": scatter(
        WINDOWS,
        ("tensor<3x4xf32>", "tensor<2xi64>", "tensor<2x3xf32>"),
        (X, np.array([2, 1]), UPDATES[:2, :3]),
        binary("maximum", "f32"),
    ),
}
"""Programs that StableHLO's own interpreter evaluates."""

OTHERS = {
    "quantized update": dynamic_update_slice(Q, BYTES, 0),
    "map": MAP,
    "quantized finite": unary("is_finite", f"tensor<3x4x{Q}>", "tensor<3x4xi1>", BYTES),
    "quantized sort": sort((f"tensor<3x4x{Q}>",), (BYTES,), 1, compare("LT", (Q,))),
    "scatter in batches": scatter(
        BATCHES,
        (f"tensor<3x4x{Q}>", "tensor<3x2xi64>", f"tensor<3x2x{Q}>"),
        (BYTES, np.array([[1, 1], [3, 4], [0, 2]]), BYTES[:, :2]),
        binary("add", Q),
    ),
    "batch norm": batch_norm("inference", 5, 1, "f32"),
    "batch norm training": batch_norm("training", 3, 3, "f32"),
    "batch norm gradients": batch_norm("grad", 5, 3, "f32"),
    "quantized batch norm": batch_norm("inference", 5, 1, "!quant.uniform<i8:f32, 0.125>", quantized=True),
}
"""Programs that it does not: batch normalization, and quantized ops that have no lowering."""
