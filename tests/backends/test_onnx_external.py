"""ONNX files with weights inside or beside them: the same model, accepted by the checker and by onnxruntime."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from qconvert import Format, convert, load, save
from qconvert.api.open_dimension import convert_open
from qconvert.backends.onnx import OnnxOptions, Style, model_file
from qconvert.engines import onnxruntime
from qconvert.passes.dynamism.open_size import SIZES
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.file_parts import FileParts
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, MLP

MODELS = sorted(FIXTURES.glob("*.onnx"))
BESIDE = OnnxOptions(external_data=True)
ROWS = 64


def narrow(path: Path, kind: int = TensorProto.INT4, rows: int = ROWS) -> Path:
    """Write a product by a matrix of narrow integers, with an odd number of columns."""
    width = rows + 1
    weights = helper.make_tensor("w", kind, (rows, width), np.arange(rows * width) % 4 - 2)
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["d"]),
        helper.make_node("MatMul", ["x", "d"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(*port) for port in (("x", 1, (1, rows)), ("y", 1, (1, width)))]
    known = [weights, numpy_helper.from_array(np.float32(0.1), "s")]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], known)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def filled(path: Path) -> ModelProto:
    """Return a model with its external data inside."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        for field in ("data_location", "external_data"):
            tensor.ClearField(field)
    return model


def results(source: Path | bytes, feeds: dict[str, Any]) -> list[bytes]:
    return [array.tobytes() for array in onnxruntime.run(source, feeds).values()]


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.quick(4)
def test_the_file_is_what_protobuf_writes(path: Path, style: Style) -> None:
    content = convert(load(path), Format.ONNX, OnnxOptions(style=style)).content
    assert content is not None
    assert ModelProto.FromString(content).SerializeToString(deterministic=True) == content


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.quick(4)
def test_weights_beside_the_model(tmp_path: Path, path: Path, style: Style) -> None:
    out = tmp_path / "m.onnx"
    converted = convert(load(path), Format.ONNX, OnnxOptions(style=style, external_data=True))
    save(converted, out)
    assert names(tmp_path) == {"m.onnx", "m.onnx.data"}
    checker.check_model(out, full_check=True)
    assert converted.content is not None
    assert filled(out) == ModelProto.FromString(converted.content)
    for tensor in onnx.load(out, load_external_data=False).graph.initializer:
        places = {entry.key: entry.value for entry in tensor.external_data}
        assert bool(places) == (tensor.data_location == TensorProto.EXTERNAL)
        assert bool(places) == (numpy_helper.to_array(tensor, str(tmp_path)).nbytes >= 1024)
        assert int(places.get("offset", 0)) % 4096 == 0
    (port,) = onnx.load(out, load_external_data=False).graph.input
    sizes = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
    kind = helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)
    feeds = {port.name: np.random.default_rng(0).integers(0, 100, sizes).astype(kind)}
    assert results(out, feeds) == results(converted.content, feeds)


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4])
def test_integers_of_4_bits(tmp_path: Path, kind: int) -> None:
    source, out = narrow(tmp_path / "in.onnx", kind), tmp_path / "out.onnx"
    qconvert("convert", source, "-o", out, "--external-data")
    assert (tmp_path / "out.onnx.data").stat().st_size == ROWS * (ROWS + 1) // 2
    checker.check_model(out, full_check=True)
    feeds = {"x": np.random.default_rng(0).standard_normal((1, ROWS), np.float32)}
    assert results(out, feeds) == results(source, feeds)


def test_the_pair_is_read_again(tmp_path: Path) -> None:
    save(convert(load(MLP), Format.ONNX, BESIDE), tmp_path / "m.onnx")
    assert convert(load(tmp_path / "m.onnx")).text == convert(load(convert(load(MLP), Format.ONNX).content or b"")).text


def test_the_checker_sees_no_tensor_of_another_size_than_its_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker of onnx 1.23 counts the bytes of each tensor: a large constant may not be shown without its own."""
    seen = list[ModelProto]()
    check = checker.check_model
    monkeypatch.setattr(checker, "check_model", lambda model: (check(model), seen.append(onnx.load_from_string(model))))
    for path in MODELS[:3]:
        convert(load(path), Format.ONNX)
    for model in seen:
        for tensor in model.graph.initializer:
            assert numpy_helper.to_array(tensor).shape == tuple(tensor.dims)
    assert len(seen) == 3


def test_many_weights_are_beside_the_model_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(convert(load(MLP), Format.ONNX), tmp_path / "inside.onnx")
    assert names(tmp_path) == {"inside.onnx"}
    monkeypatch.setattr(model_file, "MOST_INSIDE", 2_000)
    save(convert(load(MLP), Format.ONNX), tmp_path / "m.onnx")
    assert names(tmp_path) == {"inside.onnx", "m.onnx", "m.onnx.data"}
    assert filled(tmp_path / "m.onnx") == onnx.load(tmp_path / "inside.onnx")


def test_a_model_beyond_protobuf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "MOST_INSIDE", 2_000)
    monkeypatch.setattr(model_file, "_LARGEST", 8_000)
    converted = convert(load(MLP), Format.ONNX)
    save(converted, tmp_path / "m.onnx")
    checker.check_model(tmp_path / "m.onnx", full_check=True)
    with pytest.raises(ConversionError, match="an ONNX model with its weights inside has at most 2 GB"):
        _ = converted.content
    with pytest.raises(ConversionError, match="at most 2 GB"):
        converted.write_content(io.BytesIO())


def test_a_model_without_large_constants_is_one_file(tmp_path: Path) -> None:
    source = narrow(tmp_path / "in.onnx", rows=8)
    save(convert(load(source), Format.ONNX, BESIDE), tmp_path / "out.onnx")
    assert names(tmp_path) == {"in.onnx", "out.onnx"}


def test_a_pair_over_its_own_source(tmp_path: Path) -> None:
    path, beside = tmp_path / "m.onnx", tmp_path / "m.onnx.data"
    save(convert(load(MLP), Format.ONNX, BESIDE), path)
    before = filled(path)
    qconvert("convert", path, "-o", path, "--external-data")
    assert filled(path) == before
    assert names(tmp_path) == {path.name, beside.name}


def opened(path: Path, change: float = 1) -> Path:
    """Write the model with an open batch, and its largest weights times ``change``."""
    source = onnx.load(MLP)
    source.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    weight = max(source.graph.initializer, key=lambda tensor: len(tensor.raw_data))
    weight.raw_data = (numpy_helper.to_array(weight) * change).astype(np.int8).tobytes()
    onnx.save(source, path)
    return path


def test_an_open_dimension(tmp_path: Path) -> None:
    opened(tmp_path / "in.onnx")
    converted = [
        convert_open(lambda size: load(tmp_path / "in.onnx", dims={"N": size}), "N", Format.ONNX, options)
        for options in (None, BESIDE)
    ]
    save(converted[1], tmp_path / "m.onnx")
    assert names(tmp_path) == {"in.onnx", "m.onnx", "m.onnx.data"}
    assert filled(tmp_path / "m.onnx") == ModelProto.FromString(converted[0].content or b"")


def test_an_open_dimension_holds_no_file_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files at the dimension's sizes are compared by their parts."""
    path = opened(tmp_path / "in.onnx")
    monkeypatch.setattr(FileParts, "joined", None)
    made = convert_open(lambda size: load(path, dims={"N": size}), "N", Format.ONNX)
    save(made, tmp_path / "m.onnx")
    checker.check_model(tmp_path / "m.onnx", full_check=True)


def test_a_large_constant_that_depends_on_the_open_size(tmp_path: Path) -> None:
    paths = {size: opened(tmp_path / f"{size}.onnx", 0 if size == SIZES[-1] else 1) for size in SIZES}
    with pytest.raises(ConversionError, match=r"dimension 'N' cannot stay open: the constant '.*' depends on it"):
        convert_open(lambda size: load(paths[size], dims={"N": size}), "N", Format.ONNX)


def test_places_without_room_for_a_second_file(tmp_path: Path) -> None:
    message = "the weights are written into a second file beside the model"
    assert message in refused("convert", MLP, "-o", "-", "--to", "onnx", "--external-data")
    with pytest.raises(UsageError, match=message):
        save(convert(load(MLP), Format.ONNX, BESIDE), "-")
    os.mkfifo(tmp_path / "m.onnx")
    with pytest.raises(UsageError, match="weights in a second file need a folder"):
        save(convert(load(MLP), Format.ONNX, BESIDE), tmp_path / "m.onnx")
    assert "--external-data is an option of --to onnx" in refused(
        "convert", MLP, "-o", tmp_path / "m.mlir", "--external-data"
    )


def test_names_that_a_model_cannot_give(tmp_path: Path) -> None:
    for name in ("new\nline.onnx", os.fsdecode(b"\xff.onnx")):
        with pytest.raises(UsageError, match="cannot be written: the name of a model"):
            save(convert(load(MLP), Format.ONNX, BESIDE), tmp_path / name)
    assert not names(tmp_path)
    save(convert(load(MLP), Format.ONNX, BESIDE), tmp_path / "große Gewichte.onnx")
    checker.check_model(tmp_path / "große Gewichte.onnx", full_check=True)


def test_a_pair_is_validated_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "m.onnx"
    qconvert("convert", MLP, "-o", out, "--external-data")
    done = qconvert("validate", MLP, out, "--engine", "onnxruntime", "--samples", "2", "--per-layer")
    assert "its outputs are judged, its layers only tell" not in done.stdout + done.stderr
