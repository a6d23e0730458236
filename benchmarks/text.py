"""MLIR text read, verified and written, and a convolution interpreted, beside jaxlib in the same process."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from benchmarks.measure import Row, best
from qconvert.frontends.mlir import load_text
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text

CONSTANT_BYTES = 10_000_000
OPS = 5_000


def text_rows() -> list[Row]:
    """Nothing where jaxlib is not installed."""
    if find_spec("jaxlib") is None:
        return []
    return [
        _text_row("a constant of 10 MB", _large_constant()),
        _text_row(f"{OPS:,} small ops", _small_ops()),
        _convolution_row(),
    ]


def _text_row(what: str, text: str) -> Row:
    """Parse, verify and print, on both sides with a fresh context."""
    from qconvert.engines.wire import Message
    from qconvert.engines.workers.stablehlo import serve

    task = Message({"action": "verify", "locations": "False", "generic": "False"}, blob=text.encode())
    ours, theirs = best(lambda: module_text(load_text(text, "bench.mlir"))), best(lambda: serve(task))
    return Row(f"read and write {what}", ours, "jaxlib", theirs)


def _large_constant() -> str:
    digits = np.random.default_rng(0).bytes(CONSTANT_BYTES).hex()
    type = f"tensor<{CONSTANT_BYTES}xi8>"
    body = f'  %0 = stablehlo.constant dense<"0x{digits}"> : {type}\n  return %0 : {type}\n'
    return f"func.func @main() -> {type} {{\n{body}}}\n"


def _small_ops() -> str:
    """A chain of requantizations and additions among sixteen types, each written out as MLIR does."""
    types = [f"tensor<1x8x8x16x!quant.uniform<i8:f32, {0.5 + i / 64}:{i}>>" for i in range(16)]
    lines = []
    for i in range(OPS // 2):
        old, new = types[i % 16], types[(i + 1) % 16]
        source = f"%s{i - 1}" if i else "%a"
        lines += [
            f"  %q{i} = stablehlo.uniform_quantize {source} : ({old}) -> {new}\n",
            f"  %s{i} = stablehlo.add %q{i}, %q{i} : {new}\n",
        ]
    return f"func.func @main(%a: {types[0]}) {{\n{''.join(lines)}  return\n}}\n"


def _convolution_row() -> Row:
    """One int8 image of 16 x 16 under 3 x 3 kernels, 225,792 multiply-accumulates, the text read on both sides."""
    from qconvert.engines.wire import Message, positional
    from qconvert.engines.workers.stablehlo import serve

    generator = np.random.default_rng(0)
    image = generator.integers(-128, 128, (1, 16, 16, 8)).astype(np.int8)
    x = "tensor<1x16x16x8x!quant.uniform<i8:f32, 0.5:1>>"
    w = "tensor<3x3x8x16x!quant.uniform<i8:f32, 0.25>>"
    y = "tensor<1x14x14x16x!quant.uniform<i8:f32, 4.0:-1>>"
    digits = generator.integers(-127, 128, 3 * 3 * 8 * 16).astype(np.int8).tobytes().hex()
    text = (
        f"func.func @main(%x: {x}) -> {y} {{\n"
        f'  %w = stablehlo.constant() <{{value = dense<"0x{digits}"> : tensor<3x3x8x16xi8>}}> : () -> {w}\n'
        "  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {y}\n  return %y : {y}\n}}\n"
    )
    task = Message({"action": "run"}, blob=text.encode(), samples=(positional([image]),))
    ours, theirs = best(lambda: evaluate(load_text(text, "bench.mlir"), [image])), best(lambda: serve(task))
    return Row("interpret an int8 convolution", ours, "jaxlib", theirs)
