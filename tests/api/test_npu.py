"""Models compiled for Ethos-U: what each node costs, and which nodes Vela refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import onnx
import pytest

from qconvert import EngineMissingError, Format, TosaOptions, convert, load
from qconvert.api import npu
from qconvert.api.npu import NpuInspection, compile_npu, inspect_npu
from qconvert.backends.base import Profile
from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.ethos_u.npu import NPUS
from qconvert.backends.tosa.ports import with_own_tensors
from qconvert.backends.tosa.target import target_of
from qconvert.engines import tosa
from qconvert.engines.child import Child
from qconvert.engines.limits import Limits
from qconvert.engines.process import Process
from qconvert.engines.vela import Refused, Vela
from qconvert.engines.wire import Message
from qconvert.formats import FORMATS
from qconvert.ir import module_bytes
from qconvert.support.errors import ConversionError, EngineDiedError, EngineError, UsageError
from tests.cases.normalization import CASES as NORMALIZATIONS
from tests.support.commands import qconvert
from tests.support.npu_models import CHANGING_WEIGHTS, REDUCED, TWO_KINDS, looks_up
from tests.support.paths import FIXTURES, ROOT

pytestmark = [pytest.mark.npu, pytest.mark.tosa]
DIGITS = FIXTURES / "digits_cnn_int8.onnx"
SMALL = ("ethos-u55-128", "ethos-u65-256")


def inspected(model: str | bytes | Path, name: str) -> NpuInspection:
    return inspect_npu(load(model), TosaOptions(npu=find_npu(name)))


def refused(model: str | bytes, name: str) -> list[tuple[tuple[str, ...], str | None, int]]:
    found = inspected(model if isinstance(model, bytes) else model.encode(), name)
    assert found.cost is None
    assert found.is_complete
    return [(node.nodes, node.op, node.count) for node in found.refused]


# What runs


@pytest.mark.parametrize("name", NPUS)
def test_the_cycles_of_all_nodes_are_those_of_the_model(name: str) -> None:
    found = inspected(DIGITS, name)
    assert found.cost is not None
    assert not found.refused
    assert found.cost.cpu_kernels == 0
    assert sum(node.cycles for node in found.nodes) == found.cost.cycles_total
    assert sum(node.macs for node in found.nodes) == found.cost.macs
    nodes = {name for node in found.nodes for name in node.nodes}
    assert nodes == {"conv_1", "conv_2", "conv_3", "add_1", "averagepool_1", "conv_4", "maxpool_1", "gemm_1"}
    assert found.cost.memories["sram"].peak_bytes > 0


@pytest.mark.parametrize("name", ["ethos-u85-256", *SMALL])
def test_softmax_of_16_bits_runs(name: str) -> None:
    found = inspected(NORMALIZATIONS["SOFTMAX INT16 0.0004 2"].model(), name)
    assert not found.refused
    assert found.cost is not None


@pytest.mark.parametrize("name", ["ethos-u85-256", "ethos-u55-128"])
def test_a_file_of_ours_compiles_to_the_same_program_as_tosa_opts(name: str) -> None:
    converted = convert(load(DIGITS), Format.TOSA, TosaOptions(profile=Profile.INT, npu=find_npu(name)))
    named, form = with_own_tensors(converted.module), FORMATS[Format.TOSA].binary
    assert form is not None
    theirs = tosa.serialize(module_bytes(named), target=target_of(named))
    with Vela(name) as vela:
        assert vela.compile(form.write(converted.module), kernels=True) == vela.compile(theirs, kernels=True)


def test_each_kernel_is_traced_to_the_op_that_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = []
    source = npu.source_of

    def recorded(model: object, ops: list[object]) -> object:
        kinds.extend(op.name for op in ops)  # type: ignore[attr-defined]
        return source(model, ops)  # type: ignore[arg-type]

    monkeypatch.setattr(npu, "source_of", recorded)
    found = inspected(DIGITS, "ethos-u85")
    kernels = [kernel for node in found.nodes for kernel in node.kernels]
    names = [kind.removeprefix("tosa.").replace("_", "") for kind in kinds]
    assert names == [kernel.lower().replace("pool", "pool2d") for kernel in kernels]


# Planted refusals


@pytest.mark.parametrize("name", SMALL)
def test_every_refused_op_is_named_with_its_node(name: str) -> None:
    assert refused(TWO_KINDS, name) == [(("compare", "choose"), "tosa.greater", 1), (("look up",), "tosa.gather", 1)]


@pytest.mark.parametrize("name", SMALL)
def test_an_op_that_is_refused_for_its_type_is_found(name: str) -> None:
    assert refused(REDUCED, name) == [(("reduce",), "tosa.reduce_max", 1)]


@pytest.mark.parametrize("name", NPUS)
def test_weights_that_are_an_argument_are_refused_by_all(name: str) -> None:
    assert refused(CHANGING_WEIGHTS, name) == [(("grow",), "tosa.transpose_conv2d", 1)]


@pytest.mark.parametrize("model", [TWO_KINDS, REDUCED])
def test_the_largest_processor_has_these_ops(model: str) -> None:
    assert inspected(model.encode(), "ethos-u85").cost is not None


def test_a_refused_operator_of_onnx_is_named() -> None:
    found = inspected(looks_up().SerializeToString(), "ethos-u55")
    assert {(node.nodes, node.operators) for node in found.refused} == {(("lookup",), ("Gather",))}
    assert [node.op for node in found.refused] == [
        "tosa.greater",
        "tosa.gather",
    ]  # negative positions count from the end
    assert "Gather" in found.refused[1].reason
    assert inspected(looks_up().SerializeToString(), "ethos-u85").cost is not None


def test_nodes_in_floats_are_refused_without_compiling() -> None:
    found = inspected(FIXTURES / "float" / "digits_cnn.onnx", "ethos-u85")
    assert found.cost is None
    assert found.refused
    assert all(node.op is None and node.nodes and node.reason for node in found.refused)


def test_a_float_that_nothing_uses_is_named() -> None:
    text = """func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2xf32>)
        -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
      %0 = stablehlo.abs %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
      return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
    }"""
    found = inspected(text.encode(), "ethos-u85")
    assert [str(node) for node in found.refused] == ["no node: an argument or a result is a float"]


def test_an_npu_must_be_given() -> None:
    with pytest.raises(UsageError, match=r"no NPU is given\. Give npu=find_npu\(NAME\); NAME is one of ethos-u55,"):
        inspect_npu(load(DIGITS), TosaOptions())


# The file for the NPU


def test_the_file_has_the_model_s_ports_and_one_operator(tmp_path: Path) -> None:
    program = compile_npu(load(DIGITS), TosaOptions(npu=find_npu("ethos-u85")))
    assert program.content[4:8] == b"TFL3"
    for name in (b"image", b"logits", b"ethos-u"):
        assert name in program.content


def test_tosa_is_compiled_as_it_is() -> None:
    program = compile_npu(load(TWO_KINDS.encode()), TosaOptions(npu=find_npu("ethos-u85")))
    assert str(program) == f"runs wholly on ethos-u85-256: {program.cycles:,} cycles"


@pytest.mark.parametrize("name", ['a "b"', "]]>", "a\nb,c", "\u202e"])
def test_names_of_ports_are_any_text(name: str) -> None:
    model = onnx.load(DIGITS)
    for node in model.graph.node:
        for i, given in enumerate(node.input):
            node.input[i] = name if given == "image" else given
    model.graph.input[0].name = name
    found = load(model.SerializeToString())
    options = TosaOptions(npu=find_npu("ethos-u85"))
    assert name.encode() in compile_npu(found, options).content
    assert inspect_npu(found, options).cost is not None


def test_a_refused_model_has_no_file_and_the_node_is_named() -> None:
    with pytest.raises(
        ConversionError, match=r"node 'lookup' \(tosa\.greater\): ethos-u55-128 does not run it: "
    ) as error:
        compile_npu(load(looks_up().SerializeToString()), TosaOptions(npu=find_npu("ethos-u55")))
    assert "qconvert inspect MODEL --npu ethos-u55-128 lists all such nodes" in str(error.value)


def test_a_float_model_has_no_file() -> None:
    with pytest.raises(ConversionError, match=r"floats remain in .*\. An NPU computes in integers\. qconvert inspect"):
        compile_npu(load(FIXTURES / "float" / "digits_cnn.onnx"), TosaOptions(npu=find_npu("ethos-u55")))


# The process


def test_a_limit_of_time_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    with Vela("ethos-u85-256", Limits(seconds=7)) as vela:
        vela._child.start()
        monkeypatch.setattr(Process, "line", lambda *_: None)
        with pytest.raises(EngineError, match="no answer within 7 s, stopped"):
            vela.compile(b"")


def test_what_is_no_tosa_is_refused() -> None:
    with Vela("ethos-u85-256") as vela:
        assert isinstance(vela.compile(b"nothing"), Refused)


def test_a_process_that_dies_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(_self: Child, _task: Message) -> Message:
        raise EngineDiedError("vela engine died: SIGFPE; Warning: No memory mode specified")

    monkeypatch.setattr(Child, "run", die)
    with Vela("ethos-u85-256") as vela:
        assert vela.compile(b"") == Refused("vela engine died: SIGFPE")


def test_an_answer_that_cannot_be_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Child, "run", lambda _self, _task: Message({"summary": "{}", "perf": '[{"id": 1}]'}))
    with Vela("ethos-u85-256") as vela, pytest.raises(EngineError, match="its answer cannot be read"):
        vela.compile(b"")


# The commands


def test_inspect_prints_costs_by_node() -> None:
    out = qconvert("inspect", DIGITS, "--npu", "ethos-u85-256").stdout
    assert f"{DIGITS}: runs wholly on ethos-u85-256 (Vela 5.2.0)" in out
    assert re.search(r"cycles +[\d,]+ in all, [\d,]+ of the NPU alone", out)
    assert re.search(r"[\d.]+%.* conv_4 \(Conv\): Conv2D\n", out)


def test_inspect_names_refused_nodes_and_ends_with_1(tmp_path: Path) -> None:
    model = tmp_path / "looks_up.onnx"
    model.write_bytes(looks_up().SerializeToString())
    out = qconvert("inspect", model, "--npu", "ethos-u55", status=1).stdout
    assert "2 ops do not run on ethos-u55-128" in out
    assert "refused lookup (Gather) as tosa.gather: " in out


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    model = tmp_path / "looks_up.onnx"
    model.write_bytes(looks_up().SerializeToString())
    good = json.loads(qconvert("inspect", model, "--npu", "ethos-u85", "--json").stdout)
    bad = json.loads(qconvert("inspect", model, "--npu", "ethos-u55", "--json", status=1).stdout)
    assert bad["cost"] is None
    assert bad["refused"][0]["nodes"] == ["lookup"]
    page = (ROOT / "docs" / "npu.md").read_text()
    assert [key for key in sorted(_keys(good) | _keys(bad)) if f"`{key}`" not in page] == []


def _keys(value: object) -> set[str]:
    if isinstance(value, Mapping):
        return {*map(str, value), *(key for entry in value.values() for key in _keys(entry))}
    return {key for entry in value for key in _keys(entry)} if isinstance(value, list) else set()


def test_convert_writes_the_program(tmp_path: Path) -> None:
    program = tmp_path / "digits_vela.tflite"
    done = qconvert("convert", DIGITS, "--npu", "ethos-u55-64", "-o", program)
    assert program.read_bytes()[4:8] == b"TFL3"
    assert "output 'logits': i8, scale" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "{}/m.tflite", "--npu", "ethos-u55"), "let the name of a program for an NPU end in _vela.tflite"),
        (
            ("-o", "{}/m_vela.tflite", "--npu", "ethos-u55", "--to", "onnx"),
            "--npu is an option of --to tosa, not of onnx",
        ),
        (("-o", "{}/m_vela.tflite", "--npu", "ethos-u5"), "there is no NPU 'ethos-u5'"),
        ((DIGITS, "-o", "{}/m_vela.tflite", "--npu", "ethos-u55"), "m_vela.tflite can hold one model only"),
    ],
)
def test_convert_refuses(tmp_path: Path, arguments: tuple[object, ...], message: str) -> None:
    given = [str(argument).format(tmp_path) for argument in arguments]
    assert message in qconvert("convert", DIGITS, *given, status=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_name_like_a_program_is_a_plain_model_without_an_npu(tmp_path: Path) -> None:
    qconvert("convert", DIGITS, "-o", tmp_path / "m_vela.tflite")
    assert b"ethos-u" not in (tmp_path / "m_vela.tflite").read_bytes()


def test_without_vela_one_line_says_how_to_add_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = metadata.version

    def version(distribution: str) -> str:
        if distribution == "ethos-u-vela":
            raise metadata.PackageNotFoundError(distribution)
        return known(distribution)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(EngineMissingError):
        inspected(DIGITS, "ethos-u85")
    hint = "the vela compiler is not installed (ethos-u-vela is missing): pip install 'qconvert[npu]'"
    error = qconvert("inspect", DIGITS, "--npu", "ethos-u85", status=2).stderr
    assert error.splitlines()[-1] == f"error: {hint}"
