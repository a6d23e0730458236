"""A program and its weights in a safetensors file: the results, names and types, and what the library reads."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from qconvert import ConversionError, Format, Model, UsageError, convert, convert_open, load, run, save, verify
from qconvert.interpreter.core import main_function
from qconvert.ir import array_of, element_type, late, numpy_dtype, shape
from qconvert.ir.safetensors import NamedArray, aligned, file_dtype, write_arrays
from qconvert.support import content
from tests.support.commands import qconvert, refused
from tests.support.onnx_cases import random
from tests.support.paths import FIXTURES, MLP

FORMS = [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT, Format.TOSA_RESCALE]
MODELS = sorted(path for suffix in ("onnx", "tflite") for path in FIXTURES.glob(f"*.{suffix}"))


def pair(model: Path, folder: Path, to: Format = Format.STABLEHLO, suffix: str = ".mlir") -> tuple[Path, Path]:
    program, weights = folder / f"program{suffix}", folder / "weights.safetensors"
    save(convert(load(model), to), program, weights=weights)
    return program, weights


def inputs_of(model: Model) -> dict[str, NDArray[Any]]:
    arguments = main_function(model.module).body.block.args
    dtypes = [numpy_dtype(element_type(argument)).type for argument in arguments]
    arrays = (random(*shape(each), dtype=dtype) for each, dtype in zip(arguments, dtypes, strict=True))
    return dict(zip(model.input_names, arrays, strict=True))


def data_sum(path: Path) -> str:
    raw = path.read_bytes()
    return f"{zlib.crc32(raw[8 + int.from_bytes(raw[:8], 'little') :]):08x}"


@pytest.mark.quick(1)
@pytest.mark.parametrize("to", FORMS)
@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_a_pair_computes_what_one_file_computes(model: Path, to: Format, tmp_path: Path) -> None:
    program, _ = pair(model, tmp_path, to)
    one = tmp_path / "one.mlir"
    save(convert(load(model), to), one)
    found = load(program)
    inputs = inputs_of(found)
    expected = run(load(one), inputs)
    results = run(found, inputs)
    assert list(results) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(results[name], array)


def test_the_file_has_the_sources_names_and_elements(tmp_path: Path) -> None:
    program, weights = pair(MLP, tmp_path)
    initializers = {proto.name: numpy_helper.to_array(proto) for proto in onnx.load(MLP).graph.initializer}
    found = load_file(weights)
    assert sorted(found) == ["gemm_1_weight_quantized", "gemm_2_weight_quantized"]
    text = program.read_text()
    assert f'weights.checksum = "{data_sum(weights)}", weights.file = "weights.safetensors"' in text
    assert 'input_names = ["image", "gemm_1_weight_quantized", "gemm_2_weight_quantized"]' in text
    for name, array in found.items():
        np.testing.assert_array_equal(array.reshape(-1), initializers[name].T.reshape(-1))
        before, _, _ = text.partition(f'{{weights.tensor = "{name}"}}')
        sizes = "x".join(map(str, array.shape))
        assert before.rpartition(", %")[2].partition(": ")[2].startswith(f"tensor<{sizes}x!quant.uniform<i8:f32:1, {{")


def weights_model(*arrays: tuple[str, NDArray[Any], int]) -> onnx.ModelProto:
    """A model whose outputs are its initializers, each behind an Identity, and one input."""
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1,))]
    initializers = []
    for name, array, data_type in arrays:
        nodes.append(helper.make_node("Identity", [name], [f"{name}_out"]))
        outputs.append(helper.make_tensor_value_info(f"{name}_out", data_type, array.shape))
        initializers.append(numpy_helper.from_array(array, name))
    graph = helper.make_graph(
        nodes, "weights", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1,))], outputs, initializers
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


TYPES = {
    "INT4": ml_dtypes.int4,
    "UINT4": ml_dtypes.uint4,
    "BFLOAT16": ml_dtypes.bfloat16,
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    **{name: np.dtype(name.lower()) for name in ("INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64", "BOOL")},
    **{name: np.dtype(name.lower()) for name in ("FLOAT16", "DOUBLE", "UINT32", "UINT64")},
    "FLOAT": np.dtype(np.float32),
}


@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize("name", TYPES)
def test_every_type_comes_back(name: str, odd: int, tmp_path: Path) -> None:
    dtype = np.dtype(TYPES[name])
    array = (np.arange(33 * (64 + odd)) % 7).reshape(33, -1).astype(dtype)
    model = weights_model(("w", array, getattr(TensorProto, name)))
    program, weights = tmp_path / "p.mlir", tmp_path / "w.safetensors"
    save(convert(load(model)), program, weights=weights)
    found = run(load(program), {"x": np.ones(1, np.float32)})["w_out"]
    np.testing.assert_array_equal(found.astype(np.float64), array.astype(np.float64))
    with safe_open(weights, "numpy") as opened:
        sizes = opened.get_slice("w").get_shape()
    is_narrow = name.endswith("INT4")
    assert sizes == ([-(-array.size // 2)] if is_narrow else list(array.shape))


def test_two_integers_of_four_bits_share_a_byte_the_first_in_the_low_bits(tmp_path: Path) -> None:
    array = (np.arange(2050) % 16 - 8).astype(ml_dtypes.int4)
    save(
        convert(load(weights_model(("w", array, TensorProto.INT4)))),
        tmp_path / "p.mlir",
        weights=tmp_path / "w.safetensors",
    )
    packed = load_file(tmp_path / "w.safetensors")["w"]
    assert packed[:2].tolist() == [0x98, 0xBA]
    assert "tensor<2050xi4>" in (tmp_path / "p.mlir").read_text()


def test_names_are_unique_and_small_and_equal_constants_stay(tmp_path: Path) -> None:
    large = np.arange(1024, dtype=np.float32)
    model = weights_model(
        ("__metadata__", large, TensorProto.FLOAT),
        ("small", large[:255], TensorProto.FLOAT),
        ("same", np.ones(4096, np.float32), TensorProto.FLOAT),
        ("näme\n", large + 1, TensorProto.FLOAT),
    )
    save(convert(load(model)), tmp_path / "p.mlir", weights=tmp_path / "w.safetensors")
    assert sorted(load_file(tmp_path / "w.safetensors")) == ["__metadata__.1", "näme\n"]
    np.testing.assert_array_equal(run(load(tmp_path / "p.mlir"), {"x": large[:1]})["näme\n_out"], large + 1)


def test_pieces_give_the_file_that_one_array_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [
        NamedArray("nibbles", (np.arange(35 * 33) % 16 - 8).astype(np.int8).reshape(35, 33), np.dtype(ml_dtypes.int4)),
        NamedArray("floats", random(40, 30).T, np.dtype(np.float32)),
        NamedArray("bytes", random(40, 31, dtype=np.int8), np.dtype(np.int8)),
    ]
    written = []
    for size in (1 << 26, 64):
        monkeypatch.setattr(late, "_WHOLE_BYTES", size)
        monkeypatch.setattr(late, "_PIECE_BYTES", size)
        held = [NamedArray(each.name, _late(each.held), each.dtype) for each in arrays]
        path = tmp_path / f"{size}.safetensors"
        with path.open("wb") as stream:
            digest = write_arrays(stream, aligned(held))
        assert digest == data_sum(path)
        written.append(path.read_bytes())
    assert written[0] == written[1]
    found = load_file(path)
    assert list(json.loads(written[0][8:].split(b"}}")[0] + b"}}")) == ["__metadata__", "floats", "nibbles", "bytes"]
    np.testing.assert_array_equal(found["floats"], arrays[1].held)
    np.testing.assert_array_equal(found["bytes"], arrays[2].held)


def _late(array: Any) -> late.LateArray:
    def part(axis: int, start: int, stop: int) -> NDArray[Any]:
        return np.asarray(np.take(array, np.arange(start, stop), axis))

    return late.LateArray(array.shape, array.dtype, lambda: array, None, part)


def test_weights_of_large_files_are_read_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _ = pair(FIXTURES / "digits_cnn_int8.onnx", tmp_path)
    one = load(program)
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    monkeypatch.setattr(late, "_LATE_BYTES", 1)
    found = load(program)
    assert any(isinstance(op.properties["value"].held, late.LateArray) for op in _constants(found))
    inputs = inputs_of(found)
    np.testing.assert_array_equal(*(next(iter(run(model, inputs).values())) for model in (one, found)))


def _constants(model: Model) -> list[Any]:
    return [op for op in model.module.walk() if op.name == "stablehlo.constant"]


def test_an_open_dimension_stays_open_beside_weights(tmp_path: Path) -> None:
    made = tmp_path / "open.onnx"
    w = helper.make_tensor("w", TensorProto.FLOAT, (8, 64), random(8, 64).tobytes(), raw=True)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "open",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("N", 8))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ("N", 64))],
        [w],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), made)
    program, weights = tmp_path / "p.mlir", tmp_path / "w.safetensors"
    save(convert_open(lambda size: load(made, dims={"N": size}), "N"), program, weights=weights)
    assert "tensor<?x8xf32>" in program.read_text()
    x = random(3, 8)
    found = run(load(program, dims={"x.0": 3}), {"x": x})
    np.testing.assert_allclose(found["y"], x @ load_file(weights)["w"], rtol=1e-6)


def test_it_becomes_other_formats_and_another_pair(tmp_path: Path) -> None:
    program, _ = pair(MLP, tmp_path)
    for name in ("out.onnx", "out.tosa.mlir"):
        qconvert("convert", program, "-o", tmp_path / name)
        assert (tmp_path / name).exists()
    qconvert("convert", program, "-o", tmp_path / "again.mlir", "--weights", tmp_path / "again.safetensors")
    assert load_file(tmp_path / "again.safetensors").keys() == load_file(tmp_path / "weights.safetensors").keys()


@pytest.mark.slow
def test_the_commands_read_a_pair(tmp_path: Path) -> None:
    program, weights = tmp_path / "p.mlir", tmp_path / "elsewhere" / "w.safetensors"
    weights.parent.mkdir()
    qconvert("convert", MLP, "-o", program, "--weights", weights)
    given = ("--weights", weights)
    np.savez(tmp_path / "in.npz", image=np.zeros((1, 1, 8, 8), np.float32))
    qconvert("run", program, "--inputs", tmp_path / "in.npz", "-o", tmp_path / "out.npz", *given)
    assert "contraction" in qconvert("validate", MLP, program, "--samples", "2", *given).stdout
    assert "stablehlo.constant" in qconvert("opt", program, "-p", "dce", *given).stdout
    assert "input   image" in qconvert("inspect", program, *given).stdout
    assert "valid StableHLO" in qconvert("verify", program, *given).stdout
    assert "valid StableHLO" in qconvert("verify", program).stdout
    found = "the program's weights, 'w.safetensors', are not beside it"
    assert refused("inspect", program) == f"{program}: {found}. Give them with --weights FILE"


@pytest.mark.parametrize("suffix", [".mlir", pytest.param(".mlirbc", marks=pytest.mark.stablehlo)])
def test_layers_of_a_pair_are_compared(suffix: str, tmp_path: Path) -> None:
    program, weights = pair(MLP, tmp_path, suffix=suffix)
    shown = qconvert("validate", MLP, program, "--samples", "2").stdout
    assert "3 layers" in shown
    arrays = load_file(weights)
    save_file({name: array[::-1].copy() for name, array in arrays.items()}, weights)
    assert "do not belong" in refused("validate", MLP, program)


def test_what_is_refused(tmp_path: Path) -> None:
    out, weights = tmp_path / "out.mlir", tmp_path / "w.safetensors"
    model = load(MLP)
    with pytest.raises(UsageError, match="weights are written beside stablehlo, stablehlo-qdq, stablehlo-int and"):
        save(convert(model, Format.TOSA), tmp_path / "out.tosa.mlir", weights=weights)
    with pytest.raises(UsageError, match=r"'.*w.bin' is no name for weights: let it end in .safetensors"):
        save(convert(model), out, weights=tmp_path / "w.bin")
    with pytest.raises(UsageError, match="is written to a file: give its name with -o"):
        save(convert(model), "-", weights=weights)
    with pytest.raises(UsageError, match=r"the model takes no weights from a file; leave out --weights"):
        load(MLP, weights=weights)
    assert list(tmp_path.iterdir()) == []
    save(convert(model), out)
    with pytest.raises(UsageError, match=r"the module takes no weights from a file; leave out --weights"):
        verify(out, weights=weights)


def test_verify_finds_data_that_changed(tmp_path: Path) -> None:
    program, weights = pair(MLP, tmp_path)
    with weights.open("r+b") as stream:
        stream.seek(-1, 2)
        stream.write(b"\x55")
    load(program)
    with pytest.raises(ConversionError, match="the data changed after they were written"):
        verify(program, weights=weights)


def test_a_file_that_another_program_wrote_is_compared_by_its_data(tmp_path: Path) -> None:
    program, weights = pair(MLP, tmp_path)
    arrays = load_file(weights)
    save_file(arrays, weights)
    assert array_of(load(program).module.body.block.first_op.body.block.first_op.held).size  # type: ignore[union-attr]
    save_file({name: array + 1 for name, array in arrays.items()}, weights)
    with pytest.raises(ConversionError, match="its data have another checksum"):
        load(program)


def test_types_without_a_form_in_the_file() -> None:
    from xdsl.dialects.builtin import ComplexType, IntegerType, f64

    assert file_dtype(ComplexType(f64)) is None
    assert file_dtype(IntegerType(48)) is None
    assert file_dtype(IntegerType(4)) == ml_dtypes.int4
