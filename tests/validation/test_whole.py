"""The whole network: what moves in the reference's runs, the limit that follows, and files that are outside of it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.base import Emission, WriteOptions
from qconvert.dialects import tosa
from qconvert.engines import onnxruntime
from qconvert.formats import FORMATS
from qconvert.formats.base import ModelFormat
from qconvert.interpreter import Program
from qconvert.ir import ElementsAttr, shape
from qconvert.support.errors import EngineError
from qconvert.validation import Settings
from qconvert.validation.layers import split_layers
from qconvert.validation.limits.limits import LIMITS, FamilyLimit, off_grid
from qconvert.validation.limits.ties import TieCounter
from qconvert.validation.runner import runner_of
from qconvert.validation.sampling.samples import arguments, random_samples
from qconvert.validation.whole.bounds import Network
from qconvert.validation.whole.chain import chain
from qconvert.validation.whole.distance import Distance
from qconvert.validation.whole.moves import Direction, Moves
from tests.cases import block_quantized
from tests.support.paths import FIXTURES

CNN, UINT8, POW2 = (FIXTURES / f"digits_cnn_{name}.onnx" for name in ("int8", "uint8", "pow2"))


def network() -> tuple[Network, dict[str, NDArray[Any]], ModuleOp]:
    model = load(CNN)
    fused = convert(model, Format.TOSA).fused
    layers = {layer.tensor: layer for layer in split_layers(fused, model.input_names, model.op_types)}
    moves = {name: Moves.of(layer, LIMITS[layer.family]) for name, layer in layers.items()}
    links = chain(fused, model.input_names, keeps_hybrid=True)
    [sample] = random_samples(arguments(fused, model.input_names), 1, seed=3)
    found = Network(links, layers, {n: m for n, m in moves.items() if m}, lambda layer: TieCounter(layer.module))
    return found, sample, fused


def test_the_chain_computes_what_the_module_does() -> None:
    found, sample, fused = network()
    values = found.values(sample)
    expected = Program(fused).run([sample[name] for name in found.chain.inputs])
    for name, array in zip(found.chain.outputs, expected, strict=True):
        np.testing.assert_array_equal(values[name], array)


def test_moves_are_those_that_the_limits_allow() -> None:
    found, sample, _ = network()
    values = found.values(sample)
    ties = found.ties(values)
    first, *_ = (part for part in found.chain.parts if part.name in found.moves and found.moves[part.name].share)
    moved = found.moved(sample, ties, Direction.UP, 0)
    steps = moved[first.name].astype(int) - values[first.name].astype(int)
    allowed = len(ties.get(first.name, ())) + int(np.ceil(1e-4 * steps.size))
    assert 0 < np.count_nonzero(steps) <= allowed
    assert set(np.unique(steps)) == {0, 1}


def test_an_exact_limit_moves_nothing() -> None:
    found, _, _ = network()
    assert not Moves.of(next(iter(found.layers.values())), FamilyLimit(1.0, 1.0, 0))


def test_a_bound_is_the_worst_run_with_three_decibels() -> None:
    bound = Distance.bound([Distance(0.1, 2.0, 1.0), Distance(0.2, 1.0, 3.0)])
    assert (bound.share, bound.square) == (pytest.approx(0.4, rel=0.01), pytest.approx(4.0, rel=0.01))
    assert bound.admits(Distance(0.39, 3.9, 4.2))
    assert not bound.admits(Distance(0.39, 3.9, 4.3))
    assert not bound.admits(Distance(float("nan"), 0.0, 0.0))
    assert Distance().admits(Distance.of(np.arange(3), np.arange(3)))


def test_a_distance_counts_what_is_apart() -> None:
    found = Distance.of(np.array([0.0, 1.0, 2.0, np.inf]), np.array([0.25, 1.0, 3.0, np.inf]), apart=0.5)
    assert (found.share, found.square, found.largest) == (0.25, (0.0625 + 1.0) / 4, 1.0)


def test_outputs_of_another_scale_are_off_their_grid() -> None:
    reference = np.arange(-4, 5, dtype=np.float32) * np.float32(0.1)
    assert off_grid(reference, reference[::-1].copy(), 0.1) == 0
    assert off_grid(reference, reference * np.float32(1.01), 0.1) == 8
    assert off_grid(reference, reference * np.float32(1.01), None) == 0


def test_the_engine_is_the_formats_own_if_it_is_fast_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    fused = convert(load(CNN), Format.TOSA).fused
    tosa_format, stablehlo = FORMATS[Format.TOSA], FORMATS[Format.STABLEHLO]
    monkeypatch.setattr("qconvert.engines.base.version_of", lambda _: "1.0")
    assert runner_of(tosa_format, None, fused, None, None) == (EngineName.TOSA, 16, "")
    few = runner_of(stablehlo, None, fused, None, None)
    assert (few.engine, few.why) == (EngineName.STABLEHLO, "")
    assert 0 < few.samples < 16
    slow = runner_of(stablehlo, None, fused, None, 360)
    assert slow.engine is EngineName.REFERENCE
    assert slow.why.endswith("for 360 samples: --engine stablehlo runs it there")
    monkeypatch.setattr("qconvert.engines.base.version_of", lambda _: None)
    missing = runner_of(tosa_format, None, fused, None, None)
    assert missing.why == "tosa is not installed (pip install 'qconvert[tosa]')"
    assert runner_of(tosa_format, EngineName.IREE, fused, 3, None) == (EngineName.IREE, 3, "")


# Files.


def reversed_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the TOSA writer reverse a constant's elements in a whole network, and not in a layer alone."""
    emit = FORMATS[Format.TOSA].emit

    def faulty(_: ModelFormat, module: ModuleOp, options: WriteOptions, **more: Any) -> Emission:
        found = emit(module, options, **more)
        constants = [
            op for op in found.module.walk() if isinstance(op, tosa.ConstOp) and len(shape(op.results[0])) == 4
        ]
        large = [op for op in constants if op.array.size > 16 and op.array.dtype == np.int8]
        if len(large) > 1:
            element = large[1].values.type.get_element_type()
            large[1].properties["values"] = ElementsAttr.of(np.asarray(large[1].array[::-1].copy()), element)
        return found

    monkeypatch.setattr(type(FORMATS[Format.TOSA]), "emit", faulty)


@pytest.mark.slow
@pytest.mark.tosa
def test_a_network_fails_whose_file_has_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(Format.TOSA, samples=4)
    assert validate(CNN, settings=settings).passed
    reversed_weights(monkeypatch)
    report = validate(CNN, settings=settings)
    assert not report.passed
    assert not report.whole[0].passed
    layer, end, departs = report.failures
    assert end.startswith("from end to end, ")
    assert departs.startswith("the network departs from its source: the first value that departs is '")
    assert "of layer 'conv_2'" in departs
    assert layer.startswith("layer 'conv_2' (Conv, contraction): ")


@pytest.mark.slow
@pytest.mark.tosa
def test_the_network_is_judged_besides_its_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no layer alone fails, the limit of the network is enough."""
    reversed_weights(monkeypatch)
    monkeypatch.setattr("qconvert.validation.judging.failure_of", lambda *_: None)
    report = validate(CNN, settings=Settings(Format.TOSA, samples=4))
    assert not report.passed
    end, departs = report.failures
    assert end.startswith("from end to end, ")
    assert departs.startswith("each layer is right, their composition is not: the first value that departs is '")
    assert "of layer 'conv_2'" in departs


@pytest.mark.slow
@pytest.mark.parametrize("model", [CNN, UINT8, POW2], ids=lambda path: path.stem)
@pytest.mark.parametrize("to", [Format.TOSA, Format.TFLITE, Format.ONNX])
def test_right_files_pass(model: Any, to: Format) -> None:
    report = validate(model, settings=Settings(to, samples=8, seed=11))
    assert report.passed, report.failures
    assert report.engine.name != EngineName.REFERENCE


def gathered() -> bytes:
    """Return a model that chooses rows of a quantized table of 5."""
    nodes = [
        helper.make_node("DequantizeLinear", ["t", "s", "z"], ["d"]),
        helper.make_node("Gather", ["d", "ids"], ["y"]),
    ]
    constants = [
        numpy_helper.from_array(np.arange(20, dtype=np.int8).reshape(5, 4), "t"),
        numpy_helper.from_array(np.float32(0.5), "s"),
        numpy_helper.from_array(np.int8(0), "z"),
    ]
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [8])
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 4])
    graph = helper.make_graph(nodes, "g", [ids], [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


TABLES = {
    "Gather": (gathered(), 5),
    "GatherBlockQuantized": (block_quantized.table(4).model, 6),
    "GatherBlockQuantized of nibbles": (block_quantized.of_nibbles(ml_dtypes.uint4).model, 6),
}
"""Models that choose rows of a table by their only input, and the number of rows."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_ids_are_within_the_table(name: str) -> None:
    content, rows = TABLES[name]
    report = validate(load(content), settings=Settings(Format.ONNX))
    assert report.passed, report.failures
    model = load(content)
    samples = random_samples(arguments(model.module, model.input_names), 20, seed=0)
    drawn = {row for sample in samples for ids in sample.values() for row in ids.ravel().tolist()}
    assert drawn <= set(range(-rows, rows))
    assert len(drawn) > 2


@pytest.mark.slow
def test_a_model_that_the_optimiser_breaks_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    run = onnxruntime.run_levels

    def broken(*args: Any, **kwargs: Any) -> list[Any]:
        return [run(*args, **kwargs)[0], EngineError("broken")]

    monkeypatch.setattr(onnxruntime, "run_levels", broken)
    report = validate(CNN, settings=Settings(Format.TOSA, samples=2))
    assert report.passed, report.failures
    assert report.outputs[0].exact_reference_optimised is None
    assert "-" in str(report).splitlines()[4].split()


def test_the_interpreter_has_no_default_kernels() -> None:
    """Its own integers are not held to the limits of LiteRT's default kernels."""
    settings = Settings(Format.TFLITE, engine=EngineName.REFERENCE, samples=4)
    report = validate(FIXTURES / "digits_cnn_uint8.onnx", settings=settings)
    assert report.passed
    assert all(layer.rewritten is None for layer in report.layers)
