"""Recurrent operators of .tflite files beyond their integers, which are rows of ``tests/cases/recurrent.py``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import flatbuffers
import numpy as np
import pytest
import tflite
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from make_lstm import Lstm, drawn, float_lstm_operator, lstm_operator, lstm_options, run_float
from make_svdf import Svdf, svdf_operator, svdf_options
from qconvert import ConversionError, EngineName, Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.target import target_of
from qconvert.dialects.composite import LstmOp
from qconvert.engines import litert
from qconvert.interpreter import evaluate, evaluate_op
from qconvert.ir.types import f32
from qconvert.validation import Settings, validate
from tests.cases.recurrent import CASES, LSTMS, sequences
from tests.support.litert_reference import Judge
from tests.support.paths import FIXTURES
from tflite_writer import Operator, Tensor, write_model


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.row("U17")
def test_tosa_needs_integers_alone(name: str) -> None:
    source = load(CASES[name].model())
    converted = convert(source, Format.TOSA, TosaOptions(profile=Profile.INT))
    target = target_of(converted.module)
    assert target.profiles == ("pro_int",)
    if name.startswith("LSTM"):
        assert "doubleround" in target.extensions
        assert {*target.extensions} <= {"int16", "doubleround"}
    assert converted.text == convert(source, Format.TOSA).text


def test_a_state_is_an_input_and_an_output() -> None:
    model = load(CASES["SVDF fixture"].model())
    assert (model.input_names, model.output_names) == (("sequence", "state"), ("output", "state#after"))


@pytest.mark.litert
@pytest.mark.parametrize("name", LSTMS)
def test_stablehlo_is_a_step_away_after_every_step(name: str) -> None:
    """LiteRT's functions and roundings of the state are spelled out: differences do not grow with the sequence."""
    module = convert(load(CASES[f"LSTM {name}"].model()), Format.STABLEHLO).module
    judge = Judge({name: CASES[f"LSTM {name}"]})
    apart = [
        np.abs(evaluate(module, list(sample.values()))[0].astype(int) - wanted)
        for sample, [wanted] in zip(judge.samples(name), judge.expected(name), strict=True)
    ]
    assert np.max(apart) <= 1
    assert np.mean(np.equal(apart, 0)) > 0.985


@pytest.mark.litert
@pytest.mark.stablehlo
def test_stablehlo_holds_the_state_in_its_types() -> None:
    report = validate(FIXTURES / "lstm_int8.tflite", settings=Settings(engine=EngineName.STABLEHLO))
    assert report.passed, report.failures
    [layer] = report.layers
    assert (layer.family, layer.max_lsb) == ("recurrent", 1)
    assert layer.exact > 0.99


@pytest.mark.litert
@pytest.mark.parametrize("name", LSTMS)
def test_a_float_lstm_is_litert_s(name: str) -> None:
    operator = float_lstm_operator(LSTMS[name])
    model = write_model(operator)
    source = operator.inputs[0]
    assert source is not None
    sequence = np.random.default_rng(0).normal(0, 1, source.shape).astype(np.float32)
    [expected] = litert.run(model, {"sequence": sequence}).values()
    (found,) = evaluate(load(model).module, [sequence])
    atol = 2e-5 if name == "saturated" else 2e-6  # large weights enlarge the differences from step to step
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


def test_a_float_lstm_is_its_formula() -> None:
    """A composite of floats, against the float LSTM that the fixture is calibrated on."""
    lstm = Lstm(batch=2, has_input_gate=False)
    rng = np.random.default_rng(1)
    weights = [drawn(lstm, rng) for _ in lstm.gates]
    sequence = rng.normal(0, 1, (2, lstm.steps, lstm.features))
    arrays = [sequence, *(w.input.T for w in weights), *(w.state.T for w in weights), *(w.bias for w in weights)]
    block = Block(arg_types=[TensorType(f32, array.shape) for array in arrays])
    op = LstmOp(block.args[0], block.args[1:], gate_type=f32, cell_type=f32, cell_clip=lstm.cell_clip, element=f32)
    op.verify()
    [found] = evaluate_op(op, [array.astype(np.float32) for array in arrays])
    outputs, _ = run_float(lstm, weights, sequence)
    np.testing.assert_allclose(found, outputs.swapaxes(0, 1), atol=1e-5)


def with_input(index: int, tensor: Tensor | None) -> Callable[[Operator], Operator]:
    def changed(operator: Operator) -> Operator:
        inputs = list(operator.inputs)
        inputs[index] = tensor
        return replace(operator, inputs=inputs)

    return changed


def tensor_changed(index: int, **fields: Any) -> Callable[[Operator], Operator]:
    def changed(operator: Operator) -> Operator:
        tensor = operator.inputs[index]
        assert tensor is not None
        return with_input(index, replace(tensor, **fields))(operator)

    return changed


def without_activation(operator: Operator) -> Operator:
    def options(build: flatbuffers.Builder) -> int:
        tflite.UnidirectionalSequenceLSTMOptionsStart(build)
        return int(tflite.UnidirectionalSequenceLSTMOptionsEnd(build))

    return replace(operator, options=options)


def with_clip(clip: float) -> Callable[[Operator], Operator]:
    return lambda operator: replace(operator, options=lambda build: lstm_options(build, Lstm(cell_clip=clip)))


UNITS = Lstm().units
VECTOR = Tensor("vector", (UNITS,), "int16", 1.0, data=np.ones(UNITS, np.int16))
MATRIX = Tensor("matrix", (UNITS, UNITS), "int8", 1.0, data=np.ones((UNITS, UNITS), np.int8))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_input(10, VECTOR), "an LSTM with peepholes is not supported"),
        (with_input(16, MATRIX), "an LSTM with a projection is not supported"),
        (with_input(21, VECTOR), "an LSTM with layer normalization is not supported"),
        (with_input(1, None), "the input gate lacks its weights, its recurrent weights or its bias"),
        (without_activation, "an LSTM with the activation 0 is not supported"),
        (tensor_changed(0, dtype="float32", scale=None), "an LSTM of float32 with weights of int8"),
        (tensor_changed(19, dtype="float32", scale=None), "a cell state of float32 is not supported"),
        (tensor_changed(19, dtype="int8"), "a cell state of int8 is not supported"),
        (tensor_changed(19, is_variable=False), "the state 'cell_state' is not a variable that only this LSTM uses"),
        (tensor_changed(18, scale=0.25), "state, intermediate state and output have different types"),
        (tensor_changed(2, zero_point=3), "weights of UNIDIRECTIONAL_SEQUENCE_LSTM have one scale"),
        (tensor_changed(3, data=None), r"the weights \(input 3, 'cell_weights'\) is computed at run time"),
        (tensor_changed(13, dtype="int16", data=np.ones(UNITS, np.int16)), r"a gate's bias of int16\[16\]"),
        (
            lambda operator: replace(operator, intermediates=()),
            "it has 0 intermediate tensors, an integer LSTM needs 5",
        ),
        (tensor_changed(0, dtype="uint8"), "an LSTM of uint8 with weights of int8"),
        (tensor_changed(0, shape=(1, 5000, 12)), "a sequence of 5000 steps, the limit is 4,096"),
        (tensor_changed(0, shape=(1, 8, 13)), r"a parameter of shape \[12, 16\] where \[13, 16\] is needed"),
        (with_clip(-1.0), "the cell state's clip is -1"),
        (with_clip(float("nan")), "the cell state's clip is nan"),
        (tensor_changed(19, scale=0.001), "a cell state with a scale of 2\\^-15 to 2\\^-9"),
    ],
)
def test_refusals_name_what_is_not_supported(change: Callable[[Operator], Operator], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(write_model(change(lstm_operator(Lstm()))))


@pytest.mark.litert
def test_a_state_goes_from_run_to_run() -> None:
    """LiteRT's own state over ten runs is what each run's result gives the next one."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    operator = svdf_operator(Svdf())
    source, arrays = write_model(operator), sequences(operator)[:10]
    state: NDArray[Any] = np.zeros((1, 60), np.int16)
    interpreter = Interpreter(model_content=source, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    model = load(source)
    for array in arrays:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], array)
        interpreter.invoke()
        output, state = evaluate(model.module, [array, state])
        np.testing.assert_array_equal(output, interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))


@pytest.mark.litert
def test_an_svdf_is_compared_with_its_state() -> None:
    report = validate(FIXTURES / "svdf_int8.tflite", settings=Settings(to=Format.TOSA))
    assert report.passed, report.failures
    assert [(output.name, output.exact) for output in report.outputs] == [("output", 1.0), ("state#after", 1.0)]


@pytest.mark.parametrize("operator", [lstm_operator(Lstm()), svdf_operator(Svdf())], ids=["lstm", "svdf"])
def test_factors_that_nothing_can_say_are_refused(operator: Operator) -> None:
    model = load(write_model(tensor_changed(2, scale=1e37)(operator)))
    arrays = [sequences(operator)[0], np.ones((1, 60), np.int16)]
    with pytest.raises(ConversionError, match="cannot be written as a 32-bit multiplier"):
        convert(model, Format.TOSA)
    with pytest.raises(ConversionError, match="cannot be written as a 32-bit multiplier"):
        evaluate(model.module, arrays[: len(model.input_names)])


def without_relu(operator: Operator) -> Operator:
    def options(build: flatbuffers.Builder) -> int:
        tflite.SVDFOptionsStart(build)
        tflite.SVDFOptionsAddRank(build, 2)
        return int(tflite.SVDFOptionsEnd(build))

    return replace(operator, options=options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_relu, "an SVDF of integers without RELU is not supported"),
        (tensor_changed(0, dtype="float32", scale=None), "an SVDF of float32 with weights of int8 and int16"),
        (tensor_changed(4, dtype="int8"), "a state of int8 is not supported, int8, int8, int16 and int16 are"),
        (tensor_changed(4, is_variable=False), "the state 'state' is not a variable"),
        (tensor_changed(4, shape=(1, 59)), r"weights of time of shape \[12, 5\] and a state of \[1, 59\] for 12"),
        (tensor_changed(3, dtype="float32", data=np.ones(6, np.float32)), "a bias of float32 for sums of 32 bits"),
        (tensor_changed(1, zero_point=1), "the weights of SVDF have one scale and no zero point"),
        (tensor_changed(2, data=None), r"the weights of time \(input 2, 'times'\) is computed at run time"),
        (
            lambda operator: replace(operator, options=lambda build: svdf_options(build, Svdf(rank=5))),
            "12 filters do not divide into units of 5",
        ),
    ],
)
def test_refusals_of_svdf(change: Callable[[Operator], Operator], message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        load(write_model(change(svdf_operator(Svdf()))))
