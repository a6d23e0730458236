"""Seeds: small valid files of each kind, made by the repository's generators and taken from its tests."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
from xdsl.ir import Block

from qconvert import api
from qconvert.expansion.builder import TosaBuilder
from qconvert.formats import FORMATS, Format
from qconvert.ir import module_text
from qconvert.support.errors import QConvertError
from tests.support.paths import FIXTURES, ROOT, SHARED_MODELS
from tests.support.random_graphs import random_float_graph, random_graph
from tests.support.random_programs import random_program
from tests.support.random_tosa_ops import EVERY
from tests.support.tflite_cases import write
from tests.support.tflite_networks import network_file
from tests.support.tflite_subgraphs import COMPOSED, FLATTENED
from tests.support.tosa_programs import module_of

Seeds = Callable[[], Iterator[bytes]]

_LARGEST = 10_000
"""The largest seed in bytes. Small files convert fast, and a mutation is more likely to have an effect."""

_SECTION = re.compile(r"// -----\n|// becomes\n")


def onnx_models() -> Iterator[bytes]:
    """Yield random quantized and float graphs, the rows of the operators' tables, and small models."""
    for seed in range(60):
        yield (random_float_graph if seed % 6 == 0 else random_graph)(seed, 1 + seed % 6).SerializeToString()
    yield from _small("*.onnx")


def tflite_models() -> Iterator[bytes]:
    """Yield random networks, graphs with subgraphs, and small models."""
    yield from map(network_file, range(60))
    yield from (COMPOSED, write(FLATTENED))
    yield from _small("*.tflite")


def _small(pattern: str) -> Iterator[bytes]:
    """Yield the small fixtures and, where they are present, other small models."""
    for path in sorted(chain(FIXTURES.rglob(pattern), SHARED_MODELS.rglob(pattern))):
        if path.stat().st_size <= _LARGEST:
            yield path.read_bytes()


def stablehlo_texts() -> Iterator[bytes]:
    """Yield the tests' texts, random programs, and conversions of random graphs."""
    yield from (text for text in _texts() if b"tosa." not in text)
    yield from (module_text(random_program(seed, 3)).encode() for seed in range(20))
    yield from _converted((Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT), range(100, 130))


def tosa_texts() -> Iterator[bytes]:
    """Yield the tests' texts with TOSA's ops, programs of a random op, and conversions of random graphs."""
    yield from (text for text in _texts() if b"tosa." in text)
    yield from _random_ops()
    yield from _converted((Format.TOSA, Format.TOSA, Format.TOSA_RESCALE), range(200, 230))


def _texts() -> Iterator[bytes]:
    for path in sorted((ROOT / "tests").rglob("*.mlir")):
        for text in _SECTION.split(path.read_text()):
            if len(text) <= _LARGEST:
                yield text.encode()


def _random_ops() -> Iterator[bytes]:
    for seed, kind in enumerate(EVERY * 3):
        rng, block, build = np.random.default_rng(seed), Block(), TosaBuilder()
        yield module_text(module_of(block, build, [kind(rng, build, block)])).encode()


def _converted(formats: tuple[Format, ...], numbers: range) -> Iterator[bytes]:
    for seed in numbers:
        model = api.load(random_graph(seed, 1 + seed % 5).SerializeToString())
        with suppress(QConvertError):  # an operator that the format lacks
            yield api.convert(model, formats[seed % len(formats)]).text.encode()


def tosa_flatbuffers() -> Iterator[bytes]:
    """Yield small modules of TOSA as flatbuffers, which tosa-opt validates."""
    binary = FORMATS[Format.TOSA].binary
    assert binary is not None
    for text in chain(_converted((Format.TOSA,), range(300, 330)), _random_ops()):
        with suppress(QConvertError):  # an extension or a size that the strict validator refuses
            yield binary.write(api.load(text).module, None)


def archives() -> Iterator[bytes]:
    """Yield .npz files with samples for the documents' model, and files of other arrays."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 2, 3)).astype(np.float32)
    named: list[dict[str, Any]] = [
        {"x": x[0]},
        {"x": x},
        {"x": x, "labels": np.arange(4)},
        {"in_0/x": x[0], "in_1/x": x[1]},
        {"in_names": np.array(["x"]), "in0": x},
        {"x": x.reshape(8, 3)},
        {"x": np.asfortranarray(x[0])},
        {"flag": np.array(True), "empty": np.zeros((0, 3)), "x": x[0]},
    ]
    for i, arrays in enumerate(named * 2):
        stream = io.BytesIO()
        (np.savez if i < len(named) else np.savez_compressed)(stream, **arrays)
        yield stream.getvalue()


PROGRAM = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> attributes {input_names = ["x"], output_names = ["y"]} {
  %w = stablehlo.constant dense<[[1.0, 0.5], [1.0, -2.0], [0.25, 1.0]]> : tensor<3x2xf32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32> loc("product")
  %s = stablehlo.add %p, %p : tensor<2x2xf32> loc("sum")
  %t = stablehlo.tanh %s : tensor<2x2xf32> loc("tanh")
  %y = stablehlo.concatenate %s, %t, dim = 1
    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32> loc("y")
  return %y : tensor<2x4xf32>
}
"""
"""The model that annotations, statistics and targets refer to."""

_VALUES: dict[str, dict[str, Any]] = {
    "x": {"uniform": {"scale": 0.0078125, "zero_point": -3, "storage": "i8<-127:127>"}},
    "product": {"calibrated": {"minimum": -4.0, "maximum": 2.5, "axis": 1, "slices": [[-4.0, 0.0], [0.0, 2.5]]}},
    "sum": {"any": 16},
    "tanh": {"calibrated": {"minimum": -1, "maximum": 1}, "any": "u8"},
    "y": {"none": True},
}


def json_documents() -> Iterator[bytes]:
    """Yield annotations and statistics."""
    yield json.dumps({"values": _VALUES, "couple": [["sum", "tanh"]]}).encode()
    yield from (json.dumps({"values": {name: entry}}).encode() for name, entry in _VALUES.items())
    ranges = {name: {"minimum": -1.0, "maximum": 2.0} for name in _VALUES}
    for method in ("minmax", "percentile=99.5", "entropy"):
        yield json.dumps({"version": 1, "method": method, "samples": 3, "values": ranges}).encode()
    sliced = {"minimum": -1, "maximum": 1, "axis": 1, "slices": [[-1, 1], [0, 0.5]]}
    yield json.dumps({"version": 1, "model": "a" * 64, "values": {**ranges, "sum": sliced}}).encode()


def toml_documents() -> Iterator[bytes]:
    """Yield annotations and targets: those of the documentation, those of cases, and some for the documents' model."""
    for page in ("targets.md", "quantization.md"):
        yield from (
            text.encode() for text in re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
        )
    for name, kinds in _VALUES.items():
        yield "".join(f"[values.{name}]\n{kind} = {_toml(value)}\n" for kind, value in kinds.items()).encode()
    yield b'couple = [["sum", "tanh"]]\n' + b"[values]\nx = { any = 8 }\n"
    yield from map(str.encode, _TARGETS)


def _toml(value: object) -> str:
    """Return a value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


_TARGETS = (
    """name = "own"
fallback = "float"
extends = "tosa-int8"
[ports]
act = { storage = "i16", symmetric = true }
[[kernel]]
names = ["tanh_of_sum"]
inputs = ["act", "act"]
outputs = ["act"]
as_op = true
[[pattern]]
kernel = "tanh_of_sum"
ops = ["add", "tanh"]
""",
    """name = "generated"
export = "code-gen"
extends = "codegen-int8"
""",
    """name = "narrow"
fallback = "float"
[ports]
act = { storage = "i8" }
weights = { storage = "i8<-127:127>", symmetric = true, axis = "output_feature" }
bias = { storage = "i32", symmetric = true, axis = 0 }
[[kernel]]
names = ["fully_connected", "batch_matmul"]
inputs = ["act", "weights", "bias"]
optional = 1
outputs = ["act"]
rule = "multiplier_accumulator_scale"
[[kernel]]
names = ["add"]
inputs = ["act", "act"]
outputs = ["act"]
[[kernel]]
names = ["concatenate"]
inputs = ["act"]
variadic = true
outputs = ["act"]
rule = { same_scale = {} }
[[kernel]]
names = ["tanh"]
inputs = ["act"]
outputs = ["act"]
rule = { fixed_scale = { scale = 0.0078125, zero_point = 0, ports = ["output 0"] } }
""",
)
