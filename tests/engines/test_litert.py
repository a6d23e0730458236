from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import flatbuffers
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import StringAttr

from qconvert.api import Model, load
from qconvert.api.running import run, run_checks
from qconvert.dialects.stablehlo import AddOp
from qconvert.engines import child, litert
from qconvert.engines.base import EngineName, engine_info
from qconvert.engines.litert import Resolver
from qconvert.engines.wire import Message
from qconvert.formats import Format, recognise
from qconvert.ir.attributes import TENSOR
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError, EngineError, UsageError
from qconvert.support.names import unique_names
from qconvert.validation import validate
from qconvert.validation.rendering.rows import summary
from tests.support.paths import SHARED_MODELS

pytestmark = pytest.mark.litert

Array = NDArray[Any]
MODELS = SHARED_MODELS / "tflite"
KWS_INT8 = "mlc_kws_ref_model"
LSTM = "tflm_micro_speech_lstm"


# Models of two additions: c = (a + b) + b in int8, where tensors of the file share a name or have none.


def tensor(schema: Any, name: str | bytes, scale: float, kind: str = "INT8", buffer: int = 0) -> Any:
    quantization = schema.QuantizationParametersT()
    quantization.scale, quantization.zeroPoint = [scale], [0]
    made = schema.TensorT()
    made.name, made.shape, made.shapeSignature, made.hasRank = name, [1, 4], [-1, 4], True
    made.type, made.buffer, made.quantization = getattr(schema.TensorType, kind), buffer, quantization
    return made


def addition(schema: Any, inputs: Sequence[int], output: int) -> Any:
    operator = schema.OperatorT()
    operator.inputs, operator.outputs = list(inputs), [output]
    operator.builtinOptionsType, operator.builtinOptions = schema.BuiltinOptions.AddOptions, schema.AddOptionsT()
    return operator


def additions(*, names: Sequence[str | bytes] = ("a", "b", "b", "c"), scale: float = 1.0) -> bytes:
    """A .tflite file; ``scale`` is that of the result, 1 everywhere else."""
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    code = schema.OperatorCodeT()
    code.builtinCode, code.deprecatedBuiltinCode, code.version = schema.BuiltinOperator.ADD, 0, 2
    graph = schema.SubGraphT()
    graph.tensors = [tensor(schema, name, step) for name, step in zip(names, (1, 1, 1, scale), strict=True)]
    nibbles = schema.BufferT()
    nibbles.data = np.array([0x21, 0xF8], np.uint8)
    graph.tensors.append(tensor(schema, "", 1.0, "INT4", 1))
    graph.tensors[-1].shapeSignature = [1, 4]
    graph.operators = [addition(schema, (0, 1), 2), addition(schema, (2, 1), 3)]
    graph.inputs, graph.outputs = [0, 1], [3]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [schema.BufferT(), nibbles]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


A, B = (np.array([row], np.int8) for row in ([1, -2, 100, -128], [4, 5, 6, -1]))
INPUTS = {"a": A, "b#1": B}
INNER = [[5, 3, 106, -128]]
RESULT = [[9, 8, 112, -128]]


def test_outputs_and_inner_tensors_by_names_that_are_unique() -> None:
    found = litert.run(additions(), INPUTS, tensors=["b#2", "b#1", "c"])
    assert list(found) == ["c", "b#2", "b#1"]
    assert [array.tolist() for array in found.values()] == [RESULT, INNER, B.tolist()]
    assert {array.dtype for array in found.values()} == {np.dtype(np.int8)}


@pytest.mark.parametrize("resolver", Resolver)
def test_samples_of_different_size_share_an_interpreter(resolver: Resolver) -> None:
    stacked = {name: np.concatenate([array, array + 1]) for name, array in INPUTS.items()}
    results = litert.run_samples(additions(), [INPUTS, stacked, INPUTS], resolver=resolver)
    assert [result["c"].shape for result in results] == [(1, 4), (2, 4), (1, 4)]
    assert results[0]["c"].tolist() == results[2]["c"].tolist() == results[1]["c"][:1].tolist() == RESULT


def test_names_that_are_no_utf8_do_not_matter() -> None:
    found = litert.run(additions(names=("a", "b", b"\xff", "c")), {"a": A, "b": B}, tensors=["\ufffd"])
    assert found["\ufffd"].tolist() == INNER


@pytest.mark.parametrize(
    ("source", "inputs", "tensors", "message"),
    [
        (b"", INPUTS, (), "litert engine: the model is empty"),
        (b"\0\0\0\0TFL3", INPUTS, (), "LiteRT cannot load the model: The model is not a valid Flatbuffer buffer"),
        (None, {"a": A}, (), r"inputs \['a'\] given, the model takes \['a', 'b#1'\]"),
        (None, INPUTS, ("b",), "the model has no tensor 'b'"),
        (None, {"a": A[0], "b#1": B}, (), "input 'a' has 2 dimensions"),
        (None, {"a": A[:, :2], "b#1": B}, (), "Attempting to resize dimension 1 of tensor 0 with value 4 to 2"),
        (None, {"a": A.astype(np.int16), "b#1": B}, (), "Got value of type INT16 but expected type INT8"),
    ],
)
def test_refusals_carry_the_reason(
    source: bytes | None, inputs: dict[str, Array], tensors: tuple[str, ...], message: str
) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        litert.run(additions() if source is None else source, inputs, tensors=tensors)
    assert "\n" not in str(caught.value)


def test_a_model_that_kills_litert_is_an_error_and_the_next_one_runs() -> None:
    tasks = [Message({"resolver": "reference"}, (), additions(scale=scale), (INPUTS,)) for scale in (1.0, 0.0, 1.0)]
    first, died, last = child.run_tasks(EngineName.LITERT, tasks)
    assert isinstance(died, EngineError)
    assert str(died).startswith("litert engine died: SIGABRT")
    assert isinstance(first, Message)
    assert isinstance(last, Message)
    assert first.samples[0]["c"].tolist() == last.samples[0]["c"].tolist() == RESULT


def test_the_reference_kernels_on_one_thread_unless_asked_for_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = pytest.importorskip("qconvert.engines.workers.litert")
    made: list[dict[str, Any]] = []

    def record(**options: Any) -> Any:
        made.append(options)
        raise ValueError("enough")

    monkeypatch.setattr(worker, "Interpreter", record)
    for resolver, names in (("reference", ("c",)), ("default", ())):
        with pytest.raises(EngineError, match="enough"):
            worker.serve(Message({"resolver": resolver}, names, b"model"))
    assert [options["num_threads"] for options in made] == [1, 1]
    assert [options["experimental_op_resolver_type"].name for options in made] == ["BUILTIN_REF", "BUILTIN"]
    assert [options["experimental_preserve_all_tensors"] for options in made] == [True, False]


# The format, `run` and `validate`.


ADDITIONS = """
func.func @main(%a: T, %b: T) -> T attributes {input_names = ["a", "b#1"], output_names = ["c"]} {
  %0 = stablehlo.add %a, %b : T
  %1 = stablehlo.add %0, %b : T
  return %1 : T
}""".replace("T", "tensor<1x4x!quant.uniform<i8:f32, 1.0:0>>")


def source() -> Model:
    """The additions as read: what they compute, with the names of the file's tensors."""
    model = load(ADDITIONS.encode())
    for op, name in zip((op for op in model.module.walk() if isinstance(op, AddOp)), ("b#2", "c"), strict=True):
        op.attributes[TENSOR] = StringAttr(name)
    return replace(model, format=Format.TFLITE, file="two.tflite", opened=Content.of(additions()))


def test_a_tflite_file_is_known_by_its_identifier() -> None:
    assert recognise(additions()) is Format.TFLITE


def test_a_tflite_file_needs_inputs_to_run() -> None:
    with pytest.raises(ConversionError, match="<bytes>: the inputs of a model in TFLite are needed to run it"):
        run_checks(additions())


def test_litert_runs_the_source() -> None:
    assert run(source(), INPUTS, engine=EngineName.LITERT)["c"].tolist() == RESULT
    assert run(source(), INPUTS)["c"].tolist() == RESULT


@pytest.mark.parametrize(
    ("engine", "given", "message"),
    [
        (EngineName.LITERT, Format.STABLEHLO, "litert runs TFLite models; two.tflite is stablehlo"),
        (EngineName.LITERT, Format.ONNX, "litert runs TFLite models; two.tflite is onnx"),
        (EngineName.ONNXRUNTIME, Format.TFLITE, "onnxruntime runs ONNX models; two.tflite is tflite"),
    ],
)
def test_an_engine_of_another_format(engine: EngineName, given: Format, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(replace(source(), format=given), INPUTS, engine=engine)


def test_litert_is_the_yardstick() -> None:
    report = validate(source())
    assert report.passed, report.failures
    version = engine_info(EngineName.LITERT).version
    assert (report.reference.name, report.reference.version, report.reference.optimisation) == (
        "litert",
        version,
        "BUILTIN_REF",
    )
    assert [(output.name, output.exact, output.exact_reference_optimised) for output in report.outputs] == [
        ("c", 1.0, 1.0)
    ]
    assert [(layer.tensor, layer.inputs, layer.exact, layer.elements) for layer in report.layers] == [
        ("b#2", ("a", "b#1"), 1.0, 64),
        ("c", ("b#2", "b#1"), 1.0, 64),
    ]
    assert f"against litert {version}, kernels BUILTIN_REF; 16 samples" in summary(report)


def test_a_tensor_that_the_file_does_not_have() -> None:
    model = source()
    next(op for op in model.module.walk() if isinstance(op, AddOp)).attributes[TENSOR] = StringAttr("b")
    with pytest.raises(EngineError, match="the model has no tensor 'b'"):
        validate(model)


# Models of others.


def shared(name: str) -> bytes:
    path = MODELS / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path.read_bytes()


def drawn(shape: tuple[int, ...], count: int = 4) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.integers(-128, 128, shape).astype(np.int8) for _ in range(count)]


@pytest.mark.corpora
def test_reference_and_default_kernels_are_different_targets() -> None:
    samples = [{"input_1_int8": image} for image in drawn((1, 32, 32, 3))]
    model = shared("mlc_pretrainedResnet_quant")
    plain, optimised = (litert.run_samples(model, samples, resolver=resolver) for resolver in Resolver)
    assert [a["Identity_int8"].shape for a in plain] == [(1, 10)] * 4
    assert any((a["Identity_int8"] != b["Identity_int8"]).any() for a, b in zip(plain, optimised, strict=True))


@pytest.mark.corpora
def test_inner_tensors_of_a_model_lead_to_its_output() -> None:
    samples = [{"input_1": sound} for sound in drawn((1, 49, 10, 1))]
    model = shared(KWS_INT8)
    for result in litert.run_samples(model, samples, tensors=["functional_1/dense/BiasAdd"]):
        assert result["Identity"].argmax() == result["functional_1/dense/BiasAdd"].argmax()


@pytest.mark.corpora
def test_every_sample_starts_from_the_same_state() -> None:
    first, second = drawn((1, 49, 257), 2)
    name = "serving_default_x:0"
    model = shared(LSTM)
    inner = "tfl.unidirectional_sequence_lstm"
    samples = [{name: first}, {name: second}, {name: first}]
    results = [found[inner] for found in litert.run_samples(model, samples, tensors=[inner])]
    assert (results[0] != results[1]).any()
    assert (results[0] == results[2]).all()


@pytest.mark.corpora
def test_every_model_is_recognised_and_runs() -> None:
    paths = sorted(MODELS.glob("*.tflite"))
    if not paths:
        pytest.skip(f"there is nothing in {MODELS}")
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    for path in paths:
        content = path.read_bytes()
        assert recognise(content) is Format.TFLITE
        result = litert.run(content, arguments(schema, content))
        assert result, path


def arguments(schema: Any, content: bytes) -> dict[str, Array]:
    """Random values for a model's inputs; those that give a shape (of a transposed convolution) are its result's."""
    graph = schema.Model.GetRootAsModel(content, 0).Subgraphs(0)
    tensors = [graph.Tensors(index) for index in range(graph.TensorsLength())]
    names = unique_names([(tensor.Name() or b"").decode() for tensor in tensors])
    kinds = {getattr(schema.TensorType, kind.upper()): np.dtype(kind) for kind in ("float32", "int8", "int16", "int32")}
    rng = np.random.default_rng(0)
    found = {}
    for index in graph.InputsAsNumpy():
        kind, shape = kinds[tensors[index].Type()], tensors[index].ShapeAsNumpy()
        found[names[index]] = rng.integers(-100, 100, shape).astype(kind)
        if shape.tolist() == [4]:
            found[names[index]] = tensors[graph.Outputs(0)].ShapeAsNumpy().astype(kind)
    return found
