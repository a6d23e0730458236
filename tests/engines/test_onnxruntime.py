from collections.abc import Iterable
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert.engines import child, onnxruntime
from qconvert.engines.limits import Limits
from qconvert.engines.onnxruntime import Optimisation
from qconvert.engines.wire import Array, Message
from qconvert.engines.workers import onnxruntime as worker
from qconvert.support.errors import EngineError


def model(kind: int = TensorProto.INT8, zero_point: int = 1) -> onnx.ModelProto:
    """X -> QuantizeLinear -> q -> DequantizeLinear -> y, scale 0.5."""
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in "xy")
    scale = numpy_helper.from_array(np.array(0.5, np.float32), "s")
    graph = helper.make_graph(nodes, "g", [x], [y], [scale, helper.make_tensor("z", kind, [], [zero_point])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


pytestmark = pytest.mark.slow  # each test starts processes

X = np.array([0.25, 0.75, 1.0, -1.0, 1000.0], np.float32)


def test_outputs_and_intermediate_tensors_by_name() -> None:
    result = onnxruntime.run(model().SerializeToString(), {"x": X}, extra_outputs=["q", "y", "q"])
    assert list(result) == ["y", "q"]
    # ONNX rounds half to even, then adds the zero point 1
    assert result["q"].tolist() == [1, 3, 3, -1, 127]
    assert result["q"].dtype == np.int8
    assert result["y"].tolist() == [0.0, 1.0, 1.0, -1.0, 63.0]


def test_samples_of_different_size_share_a_session() -> None:
    results = onnxruntime.run_samples(model().SerializeToString(), [{"x": X}, {"x": X[:2]}])
    assert [result["y"].tolist() for result in results] == [[0.0, 1.0, 1.0, -1.0, 63.0], [0.0, 1.0]]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (TensorProto.UINT16, np.array([0, 2, 2, 0, 2000], np.uint16)),
        (TensorProto.INT4, np.array([0, 2, 2, -2, 7], ml_dtypes.int4)),
        (TensorProto.UINT4, np.array([0, 2, 2, 0, 15], ml_dtypes.uint4)),
        (TensorProto.FLOAT8E5M2, np.array([0.5, 1.5, 2, -2, 2048], ml_dtypes.float8_e5m2)),
    ],
    ids=["uint16", "int4", "uint4", "float8"],
)
def test_intermediate_types_that_numpy_lacks(kind: int, expected: Array) -> None:
    result = onnxruntime.run(model(kind, 0).SerializeToString(), {"x": X}, extra_outputs=["q"])["q"]
    assert result.dtype == expected.dtype
    assert result.tolist() == expected.tolist()


def test_bfloat16_goes_in_and_out() -> None:
    node = helper.make_node("Identity", ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.BFLOAT16, [2]) for name in "xy")
    graph = helper.make_graph([node], "g", [x], [y])
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()
    given = np.array([1.5, -3], ml_dtypes.bfloat16)
    result = onnxruntime.run(data, {"x": given})["y"]
    assert result.dtype == given.dtype
    assert result.tolist() == [1.5, -3]


@pytest.mark.parametrize("extra", [(), ("q",)])
def test_external_data_is_found_beside_the_model(tmp_path: Path, extra: tuple[str, ...]) -> None:
    proto = model()
    scale = proto.graph.initializer[0]
    (tmp_path / "weights.bin").write_bytes(np.array(0.25, np.float32).tobytes())
    scale.ClearField("raw_data")
    scale.data_location = TensorProto.EXTERNAL
    scale.external_data.add(key="location", value="weights.bin")
    (tmp_path / "model.onnx").write_bytes(proto.SerializeToString())
    result = onnxruntime.run(tmp_path / "model.onnx", {"x": X[:3]}, extra_outputs=extra)
    assert result["y"].tolist() == [0.25, 0.75, 1.0]


@pytest.mark.slow
def test_every_optimisation_level_runs() -> None:
    for optimisation in Optimisation:
        result = onnxruntime.run(model().SerializeToString(), {"x": X}, optimisation=optimisation)
        assert result["y"].tolist() == [0.0, 1.0, 1.0, -1.0, 63.0]


@pytest.mark.parametrize("level", Optimisation)
def test_sessions_have_one_thread_and_the_level_asked_for(level: Optimisation) -> None:
    options = worker._options(Message({"optimisation": level}))
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    expected = "ORT_DISABLE_ALL" if level is Optimisation.DISABLED else f"ORT_ENABLE_{level.upper()}"
    assert options.graph_optimization_level.name == expected


def test_the_level_is_disabled_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Message] = []

    def record(_engine: str, tasks: Iterable[Message], _limits: Limits) -> list[Message]:
        found = [*tasks]
        sent.extend(found)
        return [Message(samples=({},))] * len(found)

    monkeypatch.setattr(child, "run_tasks", record)
    onnxruntime.run(b"", {})
    onnxruntime.run(b"", {}, optimisation=Optimisation.ALL)
    assert [task.options["optimisation"] for task in sent] == ["disabled", "all"]


def test_levels_are_run_in_turn_with_outputs_of_their_own() -> None:
    levels = {Optimisation.DISABLED: ["q"], Optimisation.ALL: []}
    runs = onnxruntime.run_levels(model().SerializeToString(), [{"x": X}, {"x": X[:2]}], levels)
    plain, optimised = ([] if isinstance(found, EngineError) else found.samples for found in runs)
    assert [sorted(found) for found in plain] == [["q", "y"]] * 2
    assert [sorted(found) for found in optimised] == [["y"]] * 2
    assert [found["y"].tolist() for found in optimised] == [found["y"].tolist() for found in plain]


def test_a_session_runs_stacks_in_one_child() -> None:
    with onnxruntime.Session(model().SerializeToString()) as session:
        assert session.run_stacked({"x": np.stack([X, X[::-1]])})["y"].tolist() == [
            [0, 1, 1, -1, 63],
            [63, -1, 1, 1, 0],
        ]
        assert session.run_stacked({"x": X[None, :2]})["y"].tolist() == [[0, 1]]
        with pytest.raises(EngineError, match="given, the model takes"):
            session.run_stacked({"z": X})


def test_names_that_the_main_graph_does_not_have_are_left_out() -> None:
    result = onnxruntime.run(model().SerializeToString(), {"x": X}, extra_outputs=["nope", "q"])
    assert list(result) == ["y", "q"]


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("data", "inputs", "extra", "message"),
    [
        (b"not a model", {"x": X}, (), "cannot load the model: .*(INVALID_PROTOBUF|Error parsing message)"),
        (b"not a model", {"x": X}, ("q",), "cannot load the model: Error parsing message"),
        (None, {"z": X}, (), r"inputs \['z'\] given, the model takes \['x'\]"),
        (None, {"x": X.astype(np.int64)}, (), r"Unexpected input data type. Actual: \(tensor\(int64\)\)"),
        (None, {"x": np.zeros(2, ml_dtypes.int4)}, (), r"onnxruntime takes no int4 input \('x'\)"),
    ],
)
def test_refusals_carry_the_reason(
    data: bytes | None, inputs: dict[str, Array], extra: tuple[str, ...], message: str
) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        onnxruntime.run(data or model().SerializeToString(), inputs, extra_outputs=extra)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "domain", "element", "message"),
    [
        ("Relu", "", TensorProto.INT16, r"node 'n' \(Relu\): onnxruntime lacks this operator for the node's element"),
        ("Own", "my.domain", TensorProto.FLOAT, r"node 'n' \(my\.domain\.Own\): onnxruntime lacks this operator$"),
    ],
)
def test_an_operator_that_onnxruntime_lacks_is_named(kind: str, domain: str, element: int, message: str) -> None:
    node = helper.make_node(kind, ["x"], ["y"], name="n", domain=domain)
    x, y = (helper.make_tensor_value_info(name, element, [2]) for name in "xy")
    opsets = [helper.make_opsetid("", 21), *([helper.make_opsetid(domain, 1)] if domain else [])]
    lacking = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets, ir_version=10)
    with pytest.raises(EngineError, match=message):
        onnxruntime.run(lacking.SerializeToString(), {"x": np.zeros(2, helper.tensor_dtype_to_np_dtype(element))})


def test_a_missing_file_is_named() -> None:
    with pytest.raises(EngineError, match=r"cannot load the model: .*missing\.onnx"):
        onnxruntime.run("missing.onnx", {"x": X})
