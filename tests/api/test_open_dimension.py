"""Conversions that keep the batch open: each size gives what the conversion at that size gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper, parser

from qconvert import ConversionError, Converted, Format, Model, OnnxOptions, StableHloOptions, convert, load, run
from qconvert.api.open_dimension import convert_open
from qconvert.engines import onnxruntime, stablehlo
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import write
from tests.support.tflite_subgraphs import FLATTENED

STABLEHLO = [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT, Format.TOSA_RESCALE]
DIGITS = [FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_mlp_uint8.onnx"]
IMAGES = np.load(FIXTURES / "digits_test.npz")["image"].astype(np.float32)
X = np.random.default_rng(5).standard_normal((7, 4)).astype(np.float32)
SIZES = [1, 2, 5]


def opened(source: str | Path | bytes, to: Format = Format.STABLEHLO, name: str = "N", **options: Any) -> Converted:
    return convert_open(lambda size: load(source, dims={name: size}), name, to, **options)


def sized(source: str | Path | bytes, size: int) -> Model:
    return load(source, dims={"N": size})


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param(DIGITS[0], marks=pytest.mark.slow), DIGITS[1]], ids=["cnn", "mlp"])
@pytest.mark.parametrize("to", STABLEHLO)
def test_text_with_the_batch_open_is_the_conversion_at_each_size(path: Path, to: Format) -> None:
    text = opened(path, to).text
    assert "tensor<?x10x" in text
    for size in SIZES:
        feeds = {"image": IMAGES[:size]}
        static = run(load(convert(sized(path, size), to).text.encode()), feeds)
        found = run(load(text.encode(), dims={"image.0": size}), feeds)
        np.testing.assert_array_equal(found["logits"], static["logits"])


@pytest.mark.slow
@pytest.mark.parametrize("path", DIGITS, ids=lambda path: path.stem)
@pytest.mark.parametrize("style", ["qdq", "qoperator"])
@pytest.mark.row("D23")
def test_onnxruntime_runs_each_size(path: Path, style: str) -> None:
    options = OnnxOptions(style=style)  # type: ignore[arg-type]
    content = opened(path, Format.ONNX, options=options).content
    assert content is not None
    assert [dim.dim_param or dim.dim_value for dim in ports(content)[0]] == ["N", 1, 8, 8]
    assert [dim.dim_param or dim.dim_value for dim in ports(content)[1]] == ["N", 10]
    for size in SIZES:
        static = convert(sized(path, size), Format.ONNX, options).content
        feeds = {"image": IMAGES[:size]}
        found, expected = (onnxruntime.run(each, feeds)["logits"] for each in (content, static))
        np.testing.assert_array_equal(found, expected)


def ports(content: bytes) -> list[list[Any]]:
    graph = onnx.load_from_string(content).graph
    return [list(value.type.tensor_type.shape.dim) for value in (*graph.input, *graph.output)]


@pytest.mark.stablehlo
@pytest.mark.parametrize("path", DIGITS, ids=lambda path: path.stem)
@pytest.mark.parametrize("to", STABLEHLO[:3])
def test_jaxlib_reads_and_refines_the_text(path: Path, to: Format) -> None:
    text = opened(path, to).text
    stablehlo.verify(text)
    if to is Format.STABLEHLO and path is DIGITS[0]:
        return  # jaxlib's stablehlo-refine-shapes ends in a signal on this text
    refine = "stablehlo-refine-arguments{types=tensor<2x1x8x8xf32>},stablehlo-refine-shapes"
    passes = f"builtin.module({refine},func.func(stablehlo-canonicalize-dynamism))"
    (refined,) = stablehlo.rewrite_many([text], passes)
    assert isinstance(refined, str), refined
    assert "?" not in refined
    assert "dynamic" not in refined
    found = run(load(refined.encode()), {"image": IMAGES[:2]})
    expected = run(load(convert(sized(path, 2), to).text.encode()), {"image": IMAGES[:2]})
    np.testing.assert_array_equal(found["logits"], expected["logits"])


def graph(text: str, **constants: NDArray[Any]) -> bytes:
    """A model of the nodes in ONNX's text form, from x of [N, 4] to y, whose shape nobody states."""
    body = f'<ir_version: 9, opset_import: ["" : 20]> g (float[N, 4] x) => (float y) {{ {text} }}'
    model = parser.parse_model(body)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    return model.SerializeToString()


def ints(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


OPERATORS = {
    "rows and columns in one": graph("y = Reshape (x, s)", s=ints(-1)),
    "groups of a row": graph("y = Reshape (x, s)", s=ints(0, 2, 2)),
    "two rows more": graph("y = Concat <axis = 0> (x, c)", c=X[:2]),
    "twice the rows": graph("z = Concat <axis = 0> (x, x)  y = Relu (z)"),
    "all rows but one": graph("y = Slice (x, a, b, axes)", a=ints(1), b=ints(1000), axes=ints(0)),
    "the last two rows": graph("y = Slice (x, a, b, axes)", a=ints(-2), b=ints(1000), axes=ints(0)),
    "zeros of the input's shape": graph("s = Shape (x)  z = ConstantOfShape (s)  y = Add (x, z)"),
    "a broadcast to the batch": graph("s = Shape (x)  z = Expand (c, s)  y = Concat <axis = 1> (x, z)", c=X[:1, :1]),
    "a product of all rows": graph("t = Transpose (x)  z = MatMul (x, t)  y = Softmax (z)"),
    "a bias for each row": graph("y = Gemm (x, w, b)", w=X[:4, :3], b=X[4, :3]),
    "a constant of every row": graph("s = Shape (x)  z = Expand (c, s)  y = Mul (x, z)", c=X[:1]),
    "a reduction": graph("z = ReduceMax <keepdims = 0> (x, axes)  y = Neg (z)", axes=ints(1)),
    "recurrent": graph(
        "z = Unsqueeze (x, axes)  y, h, c = LSTM <hidden_size = 2> (z, w, r)",
        axes=ints(0),
        w=np.tile(X[:2, :4], (1, 4, 1)),
        r=np.tile(X[:2, :2], (1, 4, 1)),
    ),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("content", OPERATORS.values(), ids=OPERATORS)
def test_operators_with_the_batch_open(content: bytes) -> None:
    text = opened(content).text
    for size in (2, 5):
        expected = run(load(convert(sized(content, size)).text.encode()), {"x": X[:size]})["y"]
        found = run(load(text.encode(), dims={"x.0": size}), {"x": X[:size]})["y"]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("content", OPERATORS.values(), ids=OPERATORS)
def test_onnxruntime_runs_operators_with_the_batch_open(content: bytes) -> None:
    in_onnx = opened(content, Format.ONNX).content
    for size in (2, 5):
        runtimes = (in_onnx, convert(sized(content, size), Format.ONNX).content)
        written, plain = (onnxruntime.run(each, {"x": X[:size]})["y"] for each in runtimes)
        np.testing.assert_array_equal(written, plain)
        source = onnxruntime.run(content, {"x": X[:size]})["y"]
        np.testing.assert_allclose(written, source, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_composites_stay_whole() -> None:
    content = graph("z = Softmax (x)  y = Erf (z)")
    text = opened(content, options=StableHloOptions(keep_composites=True)).text
    main, softmax, erf = text.split("func.func")[1:]
    assert main.count("stablehlo.composite") == 2
    assert ["get_dimension_size" in part for part in (main, softmax, erf)] == [False, True, True]
    expected = run(load(convert(sized(content, 3)).text.encode()), {"x": X[:3]})["y"]
    np.testing.assert_array_equal(run(load(text.encode(), dims={"x.0": 3}), {"x": X[:3]})["y"], expected)


@pytest.mark.slow
def test_text_with_an_open_size_stays_open() -> None:
    text = opened(DIGITS[0]).text
    again = opened(text.encode(), name="image.0")
    assert again.text.count("?") >= text.count("?")
    feeds = {"image": IMAGES[:3]}
    expected = run(load(text.encode(), dims={"image.0": 3}), feeds)
    np.testing.assert_array_equal(
        run(load(again.text.encode(), dims={"image.0": 3}), feeds)["logits"], expected["logits"]
    )


REFUSED = {
    "a size that is a product": (
        graph("t = Transpose (x)  z = MatMul (x, t)  y = Reshape (z, s)", s=ints(-1)),
        r"\(stablehlo\.reshape\): dimension 'N' cannot stay open: a size does not grow in proportion to it: 1369, 1681",
    ),
    "a constant": (
        graph(
            "s = Shape <start = 0, end = 1> (x)  k = Squeeze (s)  r = Range (zero, k, one)  f = Cast <to = 1> (r)"
            "  u = Unsqueeze (f, axes)  y = Add (x, u)",
            zero=np.int64(0),
            one=np.int64(1),
            axes=ints(1),
        ),
        r"dimension 'N' cannot stay open: (a constant|the constant '.*') depends on it",
    ),
    "a batch that the model fixes": (
        graph("y = Reshape (x, s)", s=ints(1, 2, 2)),
        r"dimension 'N' cannot stay open, as a size of 37 fails: cannot reshape",
    ),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_stay_open(content: bytes, message: str) -> None:
    for to in (Format.STABLEHLO, Format.ONNX):
        with pytest.raises(ConversionError, match=message.replace(r"\(stablehlo\.reshape\): ", "")):
            opened(content, to)
    with pytest.raises(ConversionError, match=message):
        opened(content)


def test_a_format_that_needs_sizes_names_the_input() -> None:
    with pytest.raises(
        ConversionError, match=r"TOSA needs a size for it, of input 'image'\. Give it a size: --dim N=SIZE"
    ):
        opened(DIGITS[0], Format.TOSA)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    model = DIGITS[0]
    done = qconvert("convert", model, "-o", tmp_path / "m.mlir", "--dim", "N=?")
    assert "is set to 1" not in done.stderr
    assert "tensor<?x1x8x8xf32>" in (tmp_path / "m.mlir").read_text()
    qconvert("convert", "-", "-o", tmp_path / "m.onnx", "--dim", "N=?", given=model.read_bytes())
    assert ports((tmp_path / "m.onnx").read_bytes())[0][0].dim_param == "N"
    assert "only convert keeps a dimension open" in refused("inspect", model, "--dim", "N=?")
    unknown = refused("convert", model, "-o", "-", "--dim", "M=?")
    assert "onnx: no input has a dimension 'M'. The model has N" in unknown
    assert "TOSA needs a size" in refused("convert", model, "-o", tmp_path / "m.tosa.mlir", "--dim", "N=?")


def test_dimensions_that_are_open_together(tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<?x4xf32>, %y: tensor<4x?xf32>) -> tensor<?x4xf32> {\n"
    text += "  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x?xf32>) -> tensor<?x4xf32>\n"
    text += "  %1 = stablehlo.add %x, %0 : tensor<?x4xf32>\n  return %1 : tensor<?x4xf32>\n}"
    (tmp_path / "m.mlir").write_text(text)
    both = ("--dim", "arg0.0=?", "--dim", "arg1.1=?")
    qconvert("convert", tmp_path / "m.mlir", "-o", tmp_path / "m.onnx", *both)
    content = (tmp_path / "m.onnx").read_bytes()
    assert [[dim.dim_param or dim.dim_value for dim in port] for port in ports(content)] == [
        ["arg0.0", 4],
        [4, "arg0.0"],
        ["arg0.0", 4],
    ]
    found = onnxruntime.run(content, {"arg0": X[:3], "arg1": X[3:6].T.copy()})["result0"]
    np.testing.assert_array_equal(found, X[:3] + X[3:6])
    assert "Give it a size: --dim arg1.1=SIZE" in refused("convert", tmp_path / "m.mlir", "-o", "-", *both[:2])


@pytest.mark.parametrize("size", [1, 3])
def test_tflite_keeps_its_batch(size: int) -> None:
    source = write(FLATTENED)
    text = opened(source, name="x.0").text
    x = np.random.default_rng(size).integers(-128, 128, (size, 4, 6, 2)).astype(np.int8)
    found = run(load(text.encode(), dims={"x.0": size}), {"x": x})
    expected = run(load(source, dims={"x.0": size}), {"x": x})
    np.testing.assert_array_equal(found["y"], expected["y"])
