"""How few ops a conversion has: what docs/tosa.md promises."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerType, ModuleOp

from qconvert import Format, convert, find_npu, load, validate
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator
from qconvert.backends.tosa.emit import lower
from qconvert.dialects import tosa
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.types import element_type
from qconvert.validation import Settings
from tests.support.paths import ROOT, SHARED_MODELS

FIXTURES = sorted((ROOT / "fixtures").glob("digits_cnn_*.onnx"))
CORPUS = (
    *(
        SHARED_MODELS / "onnx" / f"{name}.onnx"
        for name in ("digits_cnn_uint8", "mnist_int8_perchannel", "squeezenet_int8", "ultraface_uint8", "unet_int8")
    ),
    *(SHARED_MODELS / "zoo" / f"{name}.onnx" for name in ("digits_mbv2__s8s8_pc", "digits_pt2e__as_is")),
)
every_cnn = pytest.mark.parametrize(
    "path",
    [*FIXTURES, *(pytest.param(path, marks=pytest.mark.corpora) for path in CORPUS)],
    ids=lambda path: path.stem,
)


def converted(path: Path) -> ModuleOp:
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return convert(load(path), Format.TOSA).module


def counts(module: ModuleOp) -> Counter[str]:
    return Counter(op.name.removeprefix("tosa.") for op in module.walk())


@every_cnn
def test_transposes_are_at_the_edges_only(path: Path) -> None:
    assert counts(converted(path))["transpose"] <= (2 if path.stem == "unet_int8" else 1)


@every_cnn
def test_channels_last_at_the_edges_leave_no_transpose(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"there is no {path}")
    module = convert(load(path), Format.TOSA, TosaOptions(nhwc_io=True)).module
    assert counts(module)["transpose"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("profile", Profile)
def test_channels_last_at_the_edges_change_no_integer(profile: Profile) -> None:
    fixture = ROOT / "fixtures" / "digits_cnn_uint8.onnx"
    plain, last = (
        validate(fixture, settings=Settings(to=Format.TOSA, options=TosaOptions(profile, nhwc_io=nhwc)))
        for nhwc in (False, True)
    )
    assert (last.outputs, last.layers, last.passed) == (plain.outputs, plain.layers, True)


@every_cnn
def test_no_constant_is_there_twice(path: Path) -> None:
    constants = [op for op in converted(path).walk() if isinstance(op, tosa.ConstOp)]
    assert len({(op.values.type, op.array.tobytes()) for op in constants}) == len(constants)


@every_cnn
def test_no_clamp_repeats_its_type_or_another(path: Path) -> None:
    for op in converted(path).walk():
        if isinstance(op, tosa.ClampOp) and isinstance(element := element_type(op.input), IntegerType):
            half = 1 << (element.width.data - 1)
            assert op.limits != (-half, half - 1)
            assert not isinstance(op.input.owner, tosa.ClampOp)


@pytest.mark.parametrize("name", ["digits_mlp_int8", "digits_mlp_uint8"])
def test_a_gemm_is_one_convolution_without_reshapes_between(name: str) -> None:
    found = counts(converted(ROOT / "fixtures" / f"{name}.onnx"))
    assert (found["conv2d"], found["matmul"]) == (3, 0)
    assert found["reshape"] <= 3  # in front of the first, behind the last, and the model's own Flatten


@pytest.mark.parametrize(("npu", "ops"), [(ANY_HARDWARE, 21), (find_npu("ethos-u"), 65)], ids=["any", "ethos-u"])
def test_softmax_has_few_ops(npu: Accelerator, ops: int) -> None:
    """On NPUs the largest of ten by halves, and TABLEs of bytes, take less time than shorter forms."""
    element = "tensor<3x10x!quant.uniform<i8:f32, 0.05>>"
    module = parse_module(
        f"func.func @main(%x: {element}) -> {element} {{\n"
        f'  %r = "qconvert.softmax"(%x) <{{axis = 1 : i64}}> : ({element}) -> {element}\n  return %r : {element}\n}}'
    )
    found = counts(lower(module, TosaOptions(npu=npu)))
    assert sum(count for name, count in found.items() if not name.startswith(("const", "func.", "builtin."))) == ops
