"""Names of models that would obey a terminal, reverse letters or forge lines, wherever qconvert prints them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import StringAttr

from qconvert import load
from qconvert.support.errors import EngineError, UsageError
from qconvert.support.json_text import json_text
from qconvert.support.printable import printable, printable_lines
from tests.support.commands import qconvert
from tests.support.paths import MLP

HOSTILE = "\x1b]0;title\x07\x1b[31m<b>&'[red]\u202e\x9b\x7f\u2028\r\nFORGED: passed"


def name(of: str) -> str:
    return f"{of}{HOSTILE}"


def check_printable(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable(), line
        assert not line.startswith("FORGED"), line


def network(operator: str = "MatMul", *, quantized: bool = True) -> ModelProto:
    """A product of quantized tensors (or of floats) all of whose names are hostile, and a Neg in floats."""
    scale, zero = name("scale"), name("zero")
    constants = [
        numpy_helper.from_array(np.array(0.05, np.float32), scale),
        numpy_helper.from_array(np.array(3, np.int8), zero),
        numpy_helper.from_array(np.eye(4, dtype=np.float32), name("weights")),
    ]

    def node(kind: str, inputs: list[str], output: str) -> object:
        return helper.make_node(kind, [name(i) for i in inputs], [name(output)], name=name(f"{kind}.{output}"))

    quantizers = [
        node("QuantizeLinear", ["x", "scale", "zero"], "q"),
        node("DequantizeLinear", ["q", "scale", "zero"], "a"),
        node("QuantizeLinear", ["weights", "scale", "zero"], "wq"),
        node("DequantizeLinear", ["wq", "scale", "zero"], "w"),
        node(operator, ["a", "w"], "product"),
        node("QuantizeLinear", ["product", "scale", "zero"], "p"),
        node("DequantizeLinear", ["p", "scale", "zero"], "d"),
        node("Neg", ["d"], "y"),
    ]
    floats = [node(operator, ["x", "weights"], "d"), node("Neg", ["d"], "y")]
    x = helper.make_tensor_value_info(name("x"), TensorProto.FLOAT, [name("N"), 4])
    y = helper.make_tensor_value_info(name("y"), TensorProto.FLOAT, [name("N"), 4])
    nodes = quantizers if quantized else floats
    graph = helper.make_graph(nodes, name("graph"), [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    path.write_bytes(network().SerializeToString())
    return path


@pytest.fixture
def floats(tmp_path: Path) -> Path:
    path = tmp_path / "floats.onnx"
    path.write_bytes(network(quantized=False).SerializeToString())
    return path


def test_what_is_escaped() -> None:
    assert printable("a\x00b\x1b[31m\n\u202e\udcff\t") == "a\\x00b\\x1b[31m\\n\\u202e\\udcff\\t"
    assert printable("Größe/卷积:0 \\n") == "Größe/卷积:0 \\n"
    assert printable_lines(["a\nb", "c"]) == "a\\nb\nc"


@pytest.mark.parametrize("kind", [UsageError, EngineError])
def test_errors_are_one_short_line(kind: type[Exception]) -> None:
    assert str(kind(HOSTILE)) == printable(HOSTILE)
    assert len(str(kind("x" * 5000))) < 1600


def test_json_is_ascii_and_keeps_the_names() -> None:
    text = json_text({HOSTILE: HOSTILE})
    check_printable(text)
    assert text.isascii()
    assert json.loads(text) == {HOSTILE: HOSTILE}


@pytest.mark.parametrize("to", ["stablehlo", "stablehlo-int", "tosa", "tosa-rescale", "onnx"])
def test_convert(model: Path, tmp_path: Path, to: str) -> None:
    done = qconvert("convert", model, "--to", to, "-o", tmp_path / "out")
    check_printable(done.stdout)
    check_printable(done.stderr)
    assert "dimension 'N\\x1b]0;" in done.stderr
    if to == "onnx":
        assert load(tmp_path / "out").input_names == (name("x"),)
    else:
        text = (tmp_path / "out").read_text("ascii")
        check_printable(text)
        assert "FORGED" in text


def test_convert_to_standard_output(model: Path) -> None:
    check_printable(qconvert("convert", model, "-o", "-").stdout)


def test_an_operator_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(network(name("Unknown")).SerializeToString())
    done = qconvert("convert", path, "-o", tmp_path / "out.mlir", status=2)
    assert "Unknown\\x1b]0;" in done.stderr
    check_printable(done.stderr)
    listed = qconvert("inspect", path, "--target", "tosa", status=1)
    assert "Unknown\\x1b]0;" in listed.stdout
    check_printable(listed.stdout)


def test_inspect(model: Path) -> None:
    done = qconvert("inspect", model, "--why", "--to", "tosa")
    check_printable(done.stdout)
    check_printable(done.stderr)
    assert done.stdout.splitlines()[1].startswith("  input   x\\x1b]0;")
    found = qconvert("inspect", model, "--json").stdout
    assert found.isascii()
    check_printable(found)
    assert json.loads(found)["inputs"][0]["name"] == name("x")


@pytest.mark.slow
def test_validate(model: Path, tmp_path: Path) -> None:
    page, suite, file = tmp_path / "page.html", tmp_path / "suite.xml", tmp_path / "report.json"
    limit = ("--min-exact", "1", "--min-sqnr", "900")
    reports = ("--per-layer", "--junit", suite, "--html", page, "--json", file)
    done = qconvert("validate", model, *limit, *reports, "--dim", f"{name('N')}=1")
    for text in (done.stdout, done.stderr, page.read_text(), suite.read_text(), file.read_text()):
        check_printable(text)
        assert "FORGED" in text or text is done.stderr
    assert "<b>" not in page.read_text()
    cases = ET.parse(suite).findall("testcase")
    assert printable(name("MatMul.product")) in {case.get("name") for case in cases}
    assert name("y") in {output["name"] for output in json.loads(file.read_text())["outputs"]}
    printed = qconvert("validate", model, "--json", "-").stdout
    assert printed.isascii()
    check_printable(printed)


@pytest.mark.slow
def test_compare(model: Path, tmp_path: Path) -> None:
    page, suite, file, text = (tmp_path / f"report.{kind}" for kind in ("html", "xml", "json", "md"))
    reports = ("--per-layer", "--html", page, "--junit", suite, "--json", file, "--markdown", text)
    done = qconvert("compare", model, model, *reports, "--dim", f"{name('N')}=1")
    for found in (done.stdout, done.stderr, page.read_text(), suite.read_text(), file.read_text(), text.read_text()):
        check_printable(found)
        assert "FORGED" in found or found is done.stderr
    assert "<b>" not in page.read_text()


def test_run(model: Path, tmp_path: Path) -> None:
    given, out = tmp_path / "in.npz", tmp_path / "out.npz"
    np.savez(given, **{name("other"): np.zeros((1, 4), np.float32)})
    done = qconvert("run", model, "--inputs", given, "-o", out, status=2)
    check_printable(done.stderr)
    assert "FORGED" in done.stderr


def test_opt_and_verify(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mlir"
    done = qconvert("opt", model, "-p", "legalize-qdq-to-quantized-op", "--why", "-o", out)
    check_printable(done.stderr)
    check_printable(out.read_text("ascii"))
    found = qconvert("verify", out, status=1).stdout  # C15: weights with a zero point
    check_printable(found)
    assert "FORGED" in found


def test_a_violation(tmp_path: Path) -> None:
    text = '"builtin.module"() ({\n "func.func"() <{sym_name = "main", function_type = () -> ()}> ({\n'
    text += f'  %0 = "stablehlo.iota"() {{iota_dimension = 7 : i64}} : () -> tensor<4xi32> loc({StringAttr(HOSTILE)})\n'
    text += '  "func.return"() : () -> ()\n }) : () -> ()\n}) : () -> ()\n'
    path = tmp_path / "wrong.mlir"
    path.write_text(text)
    found = qconvert("verify", path, status=1)
    check_printable(found.stdout)
    assert "FORGED" in found.stdout
    listed = qconvert("verify", path, "--json", status=1).stdout
    check_printable(listed)
    assert listed.isascii()
    check_printable(qconvert("convert", path, "-o", tmp_path / "out.mlir", status=2).stderr)


def test_quantize(floats: Path, tmp_path: Path) -> None:
    samples, report, statistics = tmp_path / "in.npz", tmp_path / "report.json", tmp_path / "statistics.json"
    np.savez(samples, **{name("x"): np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 1, 4)})
    kept = ("-o", tmp_path / "out.mlir", "--dim", f"{name('N')}=1", "--calibration", samples)
    files = ("--report", "-", "--stats-out", statistics, "--exclude", name("Neg.y"))
    done = qconvert("quantize", floats, "--target", "tosa-int8", *kept, *files)
    assert "FORGED" in done.stdout
    for text in (done.stdout, done.stderr, statistics.read_text("ascii"), (tmp_path / "out.mlir").read_text("ascii")):
        check_printable(text)
    qconvert("quantize", floats, "--target", "tosa-int8", *kept, "--report", report, "--exclude", name("Neg.y"))
    check_printable(report.read_text("ascii"))
    refused = qconvert("quantize", floats, "--target", "tosa-int8", *kept, "--exclude", HOSTILE, status=2)
    check_printable(refused.stderr)


def test_names_of_an_archive_and_of_a_document(floats: Path, tmp_path: Path) -> None:
    samples, known = tmp_path / "in.npz", tmp_path / "known.json"
    np.savez(samples, **{name("other"): np.zeros(4, np.float32)})
    known.write_text(json.dumps({"values": {name("x"): {name("uniform"): {}}}}))
    for option, file in (("--calibration", samples), ("--annotations", known)):
        done = qconvert(
            "quantize", floats, "--target", "tosa-int8", "-o", tmp_path / "out.mlir", option, file, status=2
        )
        check_printable(done.stderr)
        assert "FORGED" in done.stderr


def test_the_path_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / f"{HOSTILE.replace('/', '')}.onnx"
    path.write_bytes(MLP.read_bytes())
    for arguments in (("inspect", path), ("convert", path, "-o", path.with_suffix(".mlir")), ("inspect", f"{path}x")):
        done = qconvert(*arguments, status=2 if str(arguments[1]).endswith("x") and arguments[1] != path else 0)
        check_printable(done.stdout)
        check_printable(done.stderr)
    check_printable(qconvert("verify", path.with_suffix(".mlir")).stdout)
