"""LiteRT's reference kernels, and what computes the operators that they lack or compute wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert.engines import litert
from qconvert.engines.litert import Resolver
from qconvert.engines.modules import Program, run_files
from qconvert.support.errors import EngineError
from tests.support.tflite_cases import Graph, Node, Tensor, constant, one_op, write

pytestmark = [pytest.mark.litert, pytest.mark.slow]

Array = NDArray[Any]
STRIDES = {"StrideW": 1, "StrideH": 1, "DilationWFactor": 1, "DilationHFactor": 1}
SCALES = [0.004, 0.006, 0.003]
SHAPE = (1, 6, 6, 3)
LACKING = "LiteRT's reference kernels lack ELU (version 1): its default kernels compute it"
MISREAD = (
    "LiteRT's reference kernels read signed integers of SUM as unsigned: qconvert computes it, as they do for unsigned "
    "integers"
)


def convolution(source: str, result: str, seed: int) -> tuple[dict[str, Tensor], Node]:
    rng = np.random.default_rng(seed)
    weights, bias = rng.integers(-127, 128, (3, 3, 3, 3)), rng.integers(-500, 500, 3)
    tensors = {
        f"{result}_w": constant(weights, "INT8", SCALES),
        f"{result}_b": constant(bias, "INT32", [scale * 0.05 for scale in SCALES]),
        result: Tensor(SHAPE, 0.05, -5),
    }
    return tensors, Node("CONV_2D", [source, f"{result}_w", f"{result}_b"], [result], "Conv2DOptions", STRIDES, 3)


def network(nodes: int = 2, signature: tuple[int, ...] | None = None) -> bytes:
    """Convolution, ELU, convolution, ELU and so on; ``signature`` is that of all activations."""
    tensors, made, source = {"x": Tensor(SHAPE, 0.05, 3)}, list[Node](), "x"
    for i in range(nodes):
        more, node = convolution(source, f"c{i}", i)
        tensors |= more | {f"e{i}": Tensor(SHAPE, 0.05, -10)}
        made += [node, Node("ELU", [f"c{i}"], [f"e{i}"], version=1)]
        source = f"e{i}"
    open_sizes = {} if signature is None else {name: signature for name, t in tensors.items() if t.data is None}
    return write(Graph(tensors, made, ["x"], [source], open_sizes))


def images(batch: int = 1, count: int = 2) -> list[dict[str, Array]]:
    rng = np.random.default_rng(5)
    return [{"x": rng.integers(-128, 128, (batch, *SHAPE[1:])).astype(np.int8)} for _ in range(count)]


def alone(sample: Array, seed: int) -> Array:
    tensors, node = convolution("x", "y", seed)
    scale = (0.05, 3) if seed == 0 else (0.05, -10)
    return litert.run(write(Graph({"x": Tensor(SHAPE, *scale)} | tensors, [node], ["x"], ["y"])), {"x": sample})["y"]


def test_only_what_the_reference_kernels_lack_runs_in_the_default_ones() -> None:
    ran = litert.run_noted(network(), images(), tensors=["c1", "e0", "x", "c0_w", "c0"])
    assert ran.note == LACKING
    for sample, found in zip(images(), ran.samples, strict=True):
        assert list(found) == ["e1", "c1", "e0", "x", "c0_w", "c0"]
        np.testing.assert_array_equal(found["x"], sample["x"])
        np.testing.assert_array_equal(found["c0"], alone(sample["x"], 0))
        np.testing.assert_array_equal(found["c1"], alone(found["e0"], 1))
        elu = one_op("ELU", [Tensor(SHAPE, 0.05, -5)], [Tensor(SHAPE, 0.05, -10)], version=1)
        for i in (0, 1):
            wanted = litert.run(elu, {"in0": found[f"c{i}"]}, resolver=Resolver.DEFAULT)["out0"]
            np.testing.assert_array_equal(found[f"e{i}"], wanted)


def test_parts_take_samples_of_several_sizes_and_inputs_by_position() -> None:
    content = network(signature=(-1, *SHAPE[1:]))
    one, three = images(1, 1)[0]["x"], images(3, 1)[0]["x"]
    stacked = litert.run_samples(content, [{"x": three}])[0]["e1"]
    program = Program(content, [[one], [three]])
    [answer] = run_files(litert.EngineName.LITERT, [program], resolver="reference")
    assert not isinstance(answer, EngineError)
    assert program.notes == [LACKING]
    np.testing.assert_array_equal(answer[1][0], stacked)
    np.testing.assert_array_equal(answer[0][0], litert.run(content, {"x": one})["e1"])


def test_a_file_that_the_reference_kernels_run_has_no_note() -> None:
    tensors, node = convolution("x", "y", 0)
    graph = Graph({"x": Tensor(SHAPE, 0.05, 3)} | tensors, [node], ["x"], ["y"])
    assert litert.run_noted(write(graph), images()).note == ""
    assert litert.run_noted(network(), images(), resolver=Resolver.DEFAULT).note == ""


def test_a_file_that_cannot_be_cut_runs_in_the_default_kernels() -> None:
    """It has no inputs at which it could be cut."""
    values = constant(np.array([[-128, 0, 127]]), "INT8", 0.05)
    graph = Graph({"c": values, "y": Tensor((1, 3), 0.05, -10)}, [Node("ELU", ["c"], ["y"], version=1)], [], ["y"])
    ran = litert.run_noted(write(graph), [{}])
    assert ran.note == "LiteRT's reference kernels lack ELU (version 1): its default kernels compute the whole model"
    assert ran.samples[0]["y"].tolist() == [[-30, -10, 117]]


def test_refusals_of_a_file_in_parts() -> None:
    with pytest.raises(EngineError, match="the model has no tensor 'z'"):
        litert.run_noted(network(), images(), tensors=["z"])
    with pytest.raises(EngineError, match="input 'x' has 4 dimensions"):
        litert.run(network(), {"x": images()[0]["x"][0]})
    with pytest.raises(EngineError, match="Didn't find op for builtin opcode 'ELU' version '9'"):
        litert.run(one_op("ELU", [Tensor((1, 3), 0.05)], [Tensor((1, 3), 0.05)], version=9), {"in0": np.zeros((1, 3))})


def total(kind: str, axes: list[int], points: tuple[int, int], keeps: bool = True) -> bytes:
    shape = (4, 5, 16)
    result = np.zeros(shape).sum(axis=tuple(axes), keepdims=keeps).shape
    ends = Tensor(shape, 0.06, points[0], kind), Tensor(result, 0.29, points[1], kind)
    return one_op("SUM", [ends[0], constant(axes)], [ends[1]], "ReducerOptions", {"KeepDims": keeps})


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("axes", [[1], [0, 2], [-1]])
def test_sums_of_signed_integers_are_those_of_unsigned_ones(axes: list[int], keeps: bool) -> None:
    rng = np.random.default_rng(0)
    samples = [rng.integers(-128, 128, (4, 5, 16)).astype(np.int8) for _ in range(20)]
    ran = litert.run_noted(total("INT8", axes, (-5, 7), keeps), [{"in0": sample} for sample in samples])
    assert ran.note == MISREAD
    unsigned = total("UINT8", axes, (123, 135), keeps)
    wanted = litert.run_samples(unsigned, [{"in0": (sample.astype(int) + 128).astype(np.uint8)} for sample in samples])
    for found, expected in zip(ran.samples, wanted, strict=True):
        np.testing.assert_array_equal(found["out0"].astype(int), expected["out0"].astype(int) - 128)


@pytest.mark.parametrize(("kind", "points"), [("INT8", (-5, 7)), ("INT16", (0, 0))])
def test_the_reference_kernel_reads_signed_integers_as_unsigned(kind: str, points: tuple[int, int]) -> None:
    """docs/engines.md names this error; without it, SUM is to be computed as all other operators are."""
    interpreter = pytest.importorskip("ai_edge_litert.interpreter")
    resolver = interpreter.OpResolverType.BUILTIN_REF
    made = interpreter.Interpreter(
        model_content=total(kind, [1], points), num_threads=1, experimental_op_resolver_type=resolver
    )
    made.allocate_tensors()
    feed = np.full((4, 5, 16), points[0] - 10, kind.lower())
    made.set_tensor(made.get_input_details()[0]["index"], feed)
    made.invoke()
    found = made.get_tensor(made.get_output_details()[0]["index"]).astype(int)
    default, here = (litert.run(total(kind, [1], points), {"in0": feed}, resolver=each)["out0"] for each in Resolver)
    assert (abs(default.astype(int) - here) <= 1).all()
    assert (abs(default.astype(int) - found) > 1).all()
