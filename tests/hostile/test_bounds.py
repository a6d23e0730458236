"""Texts of a few kilobytes that ask for more time or memory than there is: refused by the budget, or quick."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.func import FuncOp

from qconvert import load
from qconvert.dialects import stablehlo
from qconvert.frontends.mlir import load_text
from qconvert.interpreter import evaluate
from qconvert.ir import module_text, node_names
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.limits import VARIABLE, allowing, budget
from tests.support.commands import refused
from tests.support.paths import ROOT

SECONDS, GIGABYTE = 30, 1 << 30
TYPE = "tensor<2xf32>"


def identity(body: str = "", head: str = "", result: str = "%a", argument: str = TYPE) -> str:
    """A function that returns its argument or another value of its body."""
    returned = argument if result == "%a" else TYPE
    return f"{head}func.func @main(%a: {argument}) -> {returned} {{\n{body}  return {result} : {returned}\n}}\n"


def aliases(first: str, later: str, count: int, mark: str = "#a") -> str:
    """Definitions of aliases, each made of the one before, which stands for ``{}``."""
    lines = [f"{mark}0 = {first}", *(f"{mark}{i} = {later.format(*[f'{mark}{i - 1}'] * 2)}" for i in range(1, count))]
    return "\n".join(lines) + "\n"


def located(locations: str, last: int) -> str:
    return identity(f"  %c = stablehlo.abs %a : {TYPE} loc(#loc{last})\n", result="%c") + locations


def convert(source: Path, out: str) -> subprocess.CompletedProcess[str]:
    """Convert a file in a process that may use half a minute and a gigabyte: a slow machine takes ten seconds."""

    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE))

    command = [sys.executable, "-m", "qconvert", "convert", source, "-o", source.with_name(out)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, preexec_fn=confine)


REFUSED = {
    "attributes that double": (
        aliases("[1]", "[{}, {}]", 40) + identity(f"  %b = stablehlo.abs %a {{x = #a39}} : {TYPE}\n"),
        "the limit is 1,000,000. Set QCONVERT_BUDGET=attributes=2000000 or more if you trust the model",
    ),
    "types that double": (
        aliases(TYPE, "tuple<{}, {}>", 40, "!a") + identity(argument="!a39"),
        "the limit is 1,000,000. Set QCONVERT_BUDGET=attributes=2000000 or more if you trust the model",
    ),
    "attributes in attributes": (
        aliases("[1]", "[{}]", 250) + identity(f"  %b = stablehlo.abs %a {{x = #a249}} : {TYPE}\n"),
        "has 65 levels, the limit is 64",
    ),
    "types in types": (aliases(TYPE, "tuple<{}>", 250, "!a") + identity(argument="!a249"), "levels, the limit is 64"),
    "one alias used often": (
        f"#a = [{', '.join(['1'] * 2000)}]\n"
        + identity("".join(f"  %b{i} = stablehlo.abs %a {{x = #a}} : {TYPE}\n" for i in range(400))),
        "QCONVERT_BUDGET=attributes=2000000",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_aliases_beyond_the_budget_are_refused(name: str) -> None:
    text, expected = REFUSED[name]
    with pytest.raises(ConversionError) as caught:
        load_text(text, "f.mlir")
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_limit_can_be_raised() -> None:
    text, _ = REFUSED["attributes in attributes"]
    small = text.replace("#a249", "#a70")
    with pytest.raises(ConversionError, match="QCONVERT_BUDGET=levels=128 or more"):
        load_text(small, "f.mlir")
    with allowing(levels=1000):
        load_text(text, "f.mlir")


def test_the_environment_raises_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "levels=1000 ops=7")
    assert (budget().levels, budget().ops, budget().calls) == (1000, 7, 64)
    for wrong in ("level=1", "ops=x", "ops", "ops=-1", f"ops={'9' * 5000}"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(UsageError, match="is not NAME=NUMBER with one of nesting, levels"):
            budget()


def test_fused_locations_that_double_are_one_name() -> None:
    lines = ['#loc0 = loc("n")', *(f"#loc{i} = loc(fused[#loc{i - 1}, #loc{i - 1}])" for i in range(1, 40))]
    module = load_text(located("\n".join(lines), 39), "f.mlir")
    assert 'loc("n")' in module_text(module)


def test_call_sites_that_double_are_cut() -> None:
    sites = (f"#loc{i} = loc(callsite(#loc{i - 1} at #loc{i - 1}))" for i in range(1, 40))
    module = load_text(located("\n".join(['#loc0 = loc("n")', *sites, '#loc40 = loc("op"(#loc39))']), 40), "f.mlir")
    assert 'loc("op"(unknown))' in module_text(module)


@pytest.mark.slow
def test_locations_in_locations_are_quick() -> None:
    lines = ['#loc0 = loc("n")', *(f'#loc{i} = loc("x{i}"(#loc{i - 1}))' for i in range(1, 3000))]
    module = load_text(located("\n".join(lines), 2999), "f.mlir")
    assert '"x2999"' in module_text(module)


@pytest.mark.slow
def test_locations_that_grow_are_refused() -> None:
    lines = ['#loc0 = loc("n")', *(f'#loc{i} = loc(fused[#loc{i - 1}, "n{i}"])' for i in range(1, 2000))]
    with pytest.raises(ConversionError, match="QCONVERT_BUDGET=locations=1000000"):
        load_text(located("\n".join(lines), 1999), "f.mlir")


def _chain_of_functions(count: int) -> str:
    def function(name: str, op: str) -> str:
        return f"func.func {name}(%a: {TYPE}) -> {TYPE} {{\n  %b = {op}\n  return %b : {TYPE}\n}}\n"

    calls = (function(f"private @f{i}", f"call @f{i - 1}(%a) : ({TYPE}) -> {TYPE}") for i in range(1, count))
    first = function("private @f0", f"stablehlo.abs %a : {TYPE}")
    return "".join((first, *calls, function("@main", f"call @f{count - 1}(%a) : ({TYPE}) -> {TYPE}")))


@pytest.mark.slow
def test_thousands_of_functions_are_verified_in_linear_time(tmp_path: Path) -> None:
    source = tmp_path / "calls.mlir"
    source.write_text(_chain_of_functions(3000))
    done = convert(source, "out.mlir")
    assert done.returncode == 0, done.stderr


def test_a_call_of_no_function_is_refused() -> None:
    with pytest.raises(ConversionError, match="'@g0' could not be found"):
        load_text(_chain_of_functions(3).replace("call @f0", "call @g0"), "f.mlir")


JOINED = """func.func @main(%x: tensor<2xf32>) -> tensor<2000000002xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<2000000000xf32>
  %d = stablehlo.concatenate %x, %c, dim = 0 : (tensor<2xf32>, tensor<2000000000xf32>) -> tensor<2000000002xf32>
  return %d : tensor<2000000002xf32>
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("out", "op"),
    [
        ("out.tosa.mlir", "stablehlo.concatenate"),
        ("out.tflite", "CONCATENATION"),
        pytest.param("out.tosa", "stablehlo.concatenate", marks=pytest.mark.tosa),
    ],
)
def test_a_broadcast_constant_is_not_written_out_beyond_the_budget(tmp_path: Path, out: str, op: str) -> None:
    source = tmp_path / "joined.mlir"
    source.write_text(JOINED)
    done = convert(source, out)
    assert done.returncode == 2, done.stderr
    assert f"{op}: broadcast constants take 8,000,000,000 bytes written out" in done.stderr
    assert "QCONVERT_BUDGET=constant_bytes=" in done.stderr
    assert not source.with_name(out).exists()


WIDE = "tensor<2147483647xf32>"
SELECTED = f"""func.func @main(%a: {WIDE}) -> {WIDE} {{
  %b = stablehlo.compare EQ, %a, %a : ({WIDE}, {WIDE}) -> tensor<2147483647xi1>
  %c = stablehlo.constant dense<0.0> : {WIDE}
  %d = stablehlo.select %b, %a, %c : tensor<2147483647xi1>, {WIDE}
  return %d : {WIDE}
}}
"""


@pytest.mark.slow
def test_a_constant_that_tosa_repeats_is_not_written_out(tmp_path: Path) -> None:
    source = tmp_path / "wide.mlir"
    source.write_text(SELECTED)
    done = convert(source, "out.tosa.mlir")
    assert done.returncode == 0, done.stderr
    assert "dense<0.000000e+00> : tensor<1xf32>" in source.with_name("out.tosa.mlir").read_text()


FOREVER = """func.func @main() -> tensor<i32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %c) : tensor<i32> cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do { stablehlo.return %i : tensor<i32> }
  return %0 : tensor<i32>
}
"""


def test_a_loop_without_end_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "forever.mlir"
    source.write_text(FOREVER)
    error = refused("run", source, "--max-steps", 1000)
    found = "stablehlo.while: the evaluation takes more than 1,000 ops, each iteration of a loop counted"
    assert error == f"{source}:3:3: {found}. Raise the limit with --max-steps"


def test_functions_that_call_each_other_twice_are_refused() -> None:
    """The interpreter would evaluate 2^40 ops; ``validate`` and ``run`` stop at the budget of steps."""
    twice = (
        f"func.func private @f{i}(%a: {TYPE}) -> {TYPE} {{\n  %b = call @f{i - 1}(%a) : ({TYPE}) -> {TYPE}\n"
        f"  %c = call @f{i - 1}(%b) : ({TYPE}) -> {TYPE}\n  return %c : {TYPE}\n}}\n"
        for i in range(1, 40)
    )
    first = f"func.func private @f0(%a: {TYPE}) -> {TYPE} {{\n  return %a : {TYPE}\n}}\n"
    main = f"func.func @main(%a: {TYPE}) -> {TYPE} {{\n  %b = call @f39(%a) : ({TYPE}) -> {TYPE}\n"
    module = load_text("".join((first, *twice, f"{main}  return %b : {TYPE}\n}}\n")), "f.mlir")
    with allowing(steps=5000), pytest.raises(ConversionError, match="more than 5,000 ops"):
        evaluate(module, [np.zeros(2, np.float32)])


def test_steps_are_counted_for_each_evaluation() -> None:
    ops = "".join(f"  %b{i} = stablehlo.abs %a : {TYPE}\n" for i in range(9))
    module = load_text(identity(ops), "f.mlir")
    with allowing(steps=10):
        for _ in range(3):
            evaluate(module, [np.zeros(2, np.float32)])
    with allowing(steps=9), pytest.raises(ConversionError, match="more than 9 ops"):
        evaluate(module, [np.zeros(2, np.float32)])


@pytest.mark.slow
def test_many_equal_ops_become_one_in_linear_time() -> None:
    """Each merge made the kept op's location anew: 6,000 ops took two minutes."""
    count = 6000
    ops = "".join(f'  %b{i} = stablehlo.abs %a : {TYPE} loc("n{i}")\n' for i in range(count))
    module = load_text(identity(ops, result=f"%b{count - 1}"), "f.mlir")
    start = time.process_time()
    CommonSubexpressionElimination().apply(module)
    assert time.process_time() - start < SECONDS
    [function] = module.ops
    assert isinstance(function, FuncOp)
    kept, _ = function.body.block.ops
    assert node_names(kept.location) == tuple(f"n{i}" for i in range(count))


@pytest.mark.slow
def test_many_ops_of_one_value_are_told_apart_in_linear_time() -> None:
    count, wide = 6000, "tensor<6001xf32>"
    ops = "".join(f"  %b{i} = stablehlo.slice %a [{i}:{i + 2}] : ({wide}) -> {TYPE}\n" for i in range(count))
    module = load_text(identity(ops, result="%b7", argument=wide), "f.mlir")
    start = time.process_time()
    assert not CommonSubexpressionElimination().apply(module).changed
    assert time.process_time() - start < SECONDS


def test_a_hundred_thousand_annotations_are_quick(tmp_path: Path) -> None:
    values = {f"k{i}": {"none": True} for i in range(100_000)}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"values": values}))
    model = ROOT / "fixtures" / "float" / "digits_cnn.onnx"
    error = refused("quantize", model, "--target", "litert", "--annotations", path, "-o", tmp_path / "o.mlir")
    assert len(error) < 400


def test_a_chain_of_activations_needs_one_constant() -> None:
    """Half of the ops of 100,000 Relu nodes were zeros, which ``cse`` removed at the end."""
    nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(50)]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in ("v0", "v50")]
    graph = helper.make_graph(nodes, "chain", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    module = load(model.SerializeToString()).module
    assert sum(isinstance(op, stablehlo.ConstantOp) for op in module.walk()) == 1
