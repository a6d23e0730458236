"""Random graphs: propagation ends, is deterministic and idempotent, and leaves what every kernel can run.

What a kernel can run is told here from the printed specs, by a table of its own for each target.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.ir.quant_parameters import Storage
from qconvert.quantization.checks import check_target
from qconvert.quantization.ports import Port, Ports
from qconvert.quantization.propagation import propagate
from qconvert.quantization.rules import (
    fixed_scale,
    free_scale,
    multiplier_accumulator_scale,
    multiplier_scale,
    same_scale,
)
from qconvert.quantization.signature import PortType, Signature
from qconvert.quantization.target import Fallback, Kernel, Rule, Target
from qconvert.quantization.targets import TARGETS
from tests.support.propagation import I8, I16, NONE, annotated, between, fused, stored_as, uniform

T = "tensor<4x4xf32>"
UNARY = ("logistic", "tanh", "abs", "exponential")
COMPOSITES = ("hard_swish", "leaky_relu", "softmax")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
_ATTRIBUTES = {"leaky_relu": " {alpha = 0.1 : f64}", "softmax": " {axis = 1 : i64}", "hard_swish": ""}


def _op(kind: str, name: str, operands: Sequence[str], weights: str) -> str:
    """The text of one node; some are several ops."""
    a, b = operands
    if kind in UNARY:
        return f'%{name} = stablehlo.{kind} %{a} : {T} loc("{name}")'
    if kind in COMPOSITES:
        return f'%{name} = "qconvert.{kind}"(%{a}){_ATTRIBUTES[kind]} : ({T}) -> {T} loc("{name}")'
    if kind in BINARY:
        return f'%{name} = stablehlo.{kind} %{a}, %{b} : {T} loc("{name}")'
    if kind == "transpose":
        return f'%{name} = stablehlo.transpose %{a}, dims = [1, 0] : ({T}) -> {T} loc("{name}")'
    if kind == "reshape":
        return (
            f'%{name}a = stablehlo.reshape %{a} : ({T}) -> tensor<16xf32> loc("{name}a")\n'
            f'%{name} = stablehlo.reshape %{name}a : (tensor<16xf32>) -> {T} loc("{name}")'
        )
    if kind == "concatenate":
        return (
            f'%{name}a = stablehlo.concatenate %{a}, %{b}, dim = 0 : ({T}, {T}) -> tensor<8x4xf32> loc("{name}a")\n'
            f'%{name} = stablehlo.slice %{name}a [2:6, 0:4] : (tensor<8x4xf32>) -> {T} loc("{name}")'
        )
    if kind == "batch_matmul":
        product = f"%{name} = stablehlo.dot_general %{a}, %{b}, contracting_dims = [1] x [0]"
        return f'{product} : ({T}, {T}) -> {T} loc("{name}")'
    dot = f'stablehlo.dot_general %{a}, %{name}w, contracting_dims = [1] x [0] : ({T}, {T}) -> {T} loc("{name}")'
    constant = f"%{name}w = stablehlo.constant dense<{weights}> : {T}"
    if kind == "dense":
        return f"{constant}\n%{name} = {dot}"
    return (
        f"{constant}\n%{name}d = {dot}\n"
        f"%{name}b = stablehlo.constant dense<[0.5, -0.25, 100.0, 0.0]> : tensor<4xf32>\n"
        f"%{name}s = stablehlo.broadcast_in_dim %{name}b, dims = [1] : (tensor<4xf32>) -> {T}\n"
        f'%{name} = stablehlo.add %{name}d, %{name}s : {T} loc("{name}")'
    )


KINDS = (*UNARY, *COMPOSITES, *BINARY, "transpose", "reshape", "concatenate", "batch_matmul", "dense", "dense_bias")
WEIGHTS = (
    "[[1.0, 0.5, 0.0, 2.0], [0.5, -3.0, 0.0, 1.0], [0.0, 0.1, 0.0, 1.0], [1.0, 1.0, 0.0, -1.0]]",
    "0.0",
    "1.0e-30",
)


class Graph:
    """A model's text, what is said of its values, and what for."""

    def __init__(self, text: str, specs: dict[str, PortSpec], coupled: dict[str, int], target: Target) -> None:
        self.text, self.specs, self.coupled, self.target = text, specs, coupled, target

    def __repr__(self) -> str:
        specs = ", ".join(f"{name}: {spec}" for name, spec in self.specs.items())
        return f"{self.target.name}\n{self.text}\n{specs}\ncoupled {self.coupled}"


def _doubled(ports: Ports) -> list[Port]:
    """A rule of a user: the output's steps are twice the input's."""
    (x,), (y,) = ports.inputs, ports.outputs
    updated = ports.settle(x)
    if x.parameters is not None and y.parameters is None:
        updated += y.set(y.uniform(2 * x.parameters.scale, x.parameters.zero_point))
    return updated


ANY, I8_PORT, I16_PORT = PortType(default=I8), PortType(I8), PortType(I16, symmetric=True)
ACCUMULATOR = PortType(Storage.full(32, signed=True), symmetric=True)
SYMMETRIC = PortType(I8, symmetric=True)


def _kernel(name: str, rule: Rule, *inputs: PortType, output: PortType) -> Kernel:
    return Kernel(name, Signature(inputs, (output,)), rule)


MIXED = Target(
    "mixed",
    (
        _kernel("logistic", fixed_scale(1 / 256, -128), I8_PORT, output=I8_PORT),
        _kernel("logistic", fixed_scale(1 / 32768), I16_PORT, output=I16_PORT),
        _kernel("tanh", _doubled, ANY, output=ANY),
        _kernel("multiply", multiplier_scale, SYMMETRIC, SYMMETRIC, output=ACCUMULATOR),
        _kernel("abs", same_scale, ACCUMULATOR, output=ACCUMULATOR),
        *(_kernel(name, same_scale, *[ANY] * 2, output=ANY) for name in ("add", "subtract", "maximum", "minimum")),
        *(_kernel(name, same_scale, ANY, output=ANY) for name in ("transpose", "reshape", "slice")),
        Kernel("concatenate", Signature((ANY,), (ANY,), variadic=True), same_scale),
        *(_kernel(name, free_scale, I8_PORT, output=I8_PORT) for name in ("hard_swish", "softmax", "leaky_relu")),
        *(_kernel(name, free_scale, I16_PORT, output=I8_PORT) for name in ("hard_swish", "leaky_relu")),
        Kernel(
            "fully_connected",
            Signature((I8_PORT, SYMMETRIC, ACCUMULATOR), (I8_PORT,), optional=1),
            multiplier_accumulator_scale,
        ),
    ),
    fallback=Fallback.FLOAT,
)
ALL_TARGETS = (*TARGETS.values(), MIXED)
SPECS = (
    between(-1.0, 1.0),
    between(0.0, 6.0),
    between(-0.25, 7.0),
    between(2.0, 3.0),
    between(-1e-40, 1e-40),
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A graph of up to 12 nodes over two arguments."""
    names = ["x", "y"]
    lines: list[str] = []
    for i in range(draw(st.integers(1, 12))):
        operands = [draw(st.sampled_from(names)) for _ in range(2)]
        lines.append(_op(draw(st.sampled_from(KINDS)), f"n{i}", operands, draw(st.sampled_from(WEIGHTS))))
        names.append(f"n{i}")
    last = names[-1]
    header = f'func.func @main(%x: {T}, %y: {T}) -> {T} attributes {{input_names = ["x", "y"]}} {{'
    text = "\n".join([header, *lines, f"return %{last} : {T}", "}"])
    target = draw(st.sampled_from(ALL_TARGETS))
    coupled = {name: draw(st.integers(0, 1)) for name in names if draw(st.integers(0, 5)) == 0}
    storage = I16 if target.name.endswith("-int16") else I8
    exact = st.sampled_from((uniform(0.1), uniform(0.05, 3), uniform(0.001, 7, I16), stored_as(storage)))
    specs: dict[str, PortSpec] = {}
    for name in names:
        said = draw(st.integers(0, 9))
        if said < 6:
            specs[name] = draw(st.sampled_from(SPECS))
        elif said == 6 and name not in coupled:
            specs[name] = draw(exact)
        elif said == 7 and name not in coupled and draw(st.integers(0, 4)) == 0:
            specs[name] = NONE
    return Graph(text, specs, coupled, replace(target, fallback=Fallback.FLOAT))


def _parsed(spec: object) -> tuple[str, str | None, tuple[float, ...], tuple[int, ...]] | None:
    """Storage, axis, scales and zero points of a printed uniform type."""
    match = re.fullmatch(r"!quant\.uniform<((?:u?i)\d+(?:<-?\d+:\d+>)?):f32(?::(\d+))?, \{?([^}]*)\}?>", str(spec))
    if match is None:
        return None
    pairs = [part.strip().split(":") for part in match[3].split(",")]
    return match[1], match[2], tuple(float(p[0]) for p in pairs), tuple(int(p[1]) if len(p) > 1 else 0 for p in pairs)


_SAME = {"concatenate", "reshape", "transpose", "slice", "maximum", "minimum"}
_FIXED = {
    "tflite-int8": {"logistic": (1 / 256, -128), "softmax": (1 / 256, -128), "tanh": (1 / 128, 0)},
    "tosa-int8": {"logistic": (1 / 256, -128), "softmax": (1 / 256, -128), "tanh": (1 / 128, 0)},
    "codegen-int8": {"logistic": (1 / 256, -128), "softmax": (1 / 256, -128), "tanh": (1 / 128, 0)},
    "tflite-int16": dict.fromkeys(("logistic", "softmax", "tanh"), (1 / 32768, 0)),
    "tosa-int16": {"logistic": (1 / 32768, 0), "softmax": (1 / 256, -128), "tanh": (1 / 32768, 0)},
}
_FIXED |= {"ethos-u": _FIXED["tosa-int8"], "ethos-u-int16": _FIXED["tosa-int16"]}


_OF_8_BITS = {
    "tosa-int16": {"softmax", "batch_matmul"},
    "ethos-u-int16": {"softmax", "batch_matmul"},
    "tflite-int16": {"batch_matmul"},
}
"""The kernels of 8 bits of targets with activations of 16."""


def _check_shipped(target: str, region: RegionOp) -> None:
    kernel = region.logical_kernel.data
    inputs, outputs = ([_parsed(spec) for spec in specs] for specs in region.specs)
    data = "i16" if kernel not in _OF_8_BITS.get(target, {kernel}) else "i8"
    weights, bias = (inputs[1], inputs[2:]) if kernel == "fully_connected" else (None, [])
    activations = [*(inputs[:1] if kernel == "fully_connected" else inputs), *outputs]
    known = [port for port in activations if port is not None]
    assert all((storage, axis) == (data, None) for storage, axis, _, _ in known)
    if data == "i16":
        assert all(zeros == (0,) for _, _, _, zeros in known)
    if kernel in _SAME:
        assert len(set(known)) <= 1
    if kernel in _FIXED.get(target, {}) and outputs[0] is not None:
        assert (outputs[0][2][0], outputs[0][3][0]) == _FIXED[target][kernel]
    if weights is not None:
        assert weights[0] == "i8<-127:127>"
        assert weights[1] == "1"
        assert not any(weights[3])
    for port in bias:
        if port is not None:
            assert inputs[0] is not None
            assert weights is not None
            assert port[0] == "i32"
            assert port[2] == tuple(inputs[0][2][0] * scale for scale in weights[2])
            assert not any(port[3])


def _check_mixed(region: RegionOp) -> None:
    kernel = region.logical_kernel.data
    inputs, outputs = ([_parsed(spec) for spec in specs] for specs in region.specs)
    known = [port for port in (*inputs, *outputs) if port is not None]
    assert all(axis is None for _, axis, _, _ in known)
    if kernel in {"add", "subtract", "abs", *_SAME}:
        assert len(set(known)) <= 1
    if kernel == "logistic" and len(known) == 2:
        assert {port[0] for port in known} in ({"i8"}, {"i16"})
        assert (known[1][2], known[1][3]) == (((1 / 256,), (-128,)) if known[1][0] == "i8" else ((1 / 32768,), (0,)))
    if kernel == "tanh" and len(known) == 2:
        assert known[1][2][0] == 2 * known[0][2][0]
    if kernel == "multiply" and len(known) == 3:
        assert known[2][0] == "i32"
        assert known[2][2][0] == known[0][2][0] * known[1][2][0]
        assert not any(port[3][0] for port in known)


def _check(target: str, region: RegionOp) -> None:
    if target == "mixed":
        _check_mixed(region)
    else:
        _check_shipped(target, region)


def _rescales(module: ModuleOp) -> int:
    """How often a port takes a value in other parameters than the region gives it in."""
    regions = [op for op in module.walk() if isinstance(op, RegionOp)]
    given: dict[SSAValue, PortSpec] = {}
    for region in regions:
        given |= dict(zip(region.outputs, region.specs[1], strict=True))
    pairs = [
        (given.get(value), spec)
        for region in regions
        for value, spec in zip(region.inputs, region.specs[0], strict=True)
    ]
    return sum(made is not None and None not in (_parsed(made), _parsed(spec)) and made != spec for made, spec in pairs)


class _Counted:
    """A rule that counts how often it is asked."""

    def __init__(self, rule: Rule, calls: list[str]) -> None:
        self.rule = rule
        self.calls = calls

    def __call__(self, ports: Ports) -> Sequence[Port]:
        self.calls.append("")
        return self.rule(ports)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs())
def test_random_graphs(graph: Graph) -> None:
    calls: list[str] = []
    counted = replace(
        graph.target, kernels=tuple(replace(k, rule=_Counted(k.rule, calls)) for k in graph.target.kernels)
    )
    module, again = fused(graph.text), fused(graph.text)
    report = propagate(module, graph.target, annotated(module, graph.specs, graph.coupled))
    # deterministic, and ends: a region is asked once a level, and after a port of its own or of a neighbour was set
    assert propagate(again, counted, annotated(again, graph.specs, graph.coupled)) == report
    text = str(module)
    assert str(again) == text
    regions = [op for op in module.walk() if isinstance(op, RegionOp)]
    ports = sum(len(region.inputs) + len(region.outputs) for region in regions)
    assert len(calls) <= 4 * len(regions) + ports * len(regions)
    # every kernel's constraint, twice told
    module.verify()
    assert check_target(module, graph.target) == []
    for region in regions:
        _check(graph.target.name, region)
    # the report is complete
    floats = {entry.node for entry in report.unquantized if entry.port is None}
    missing = sum(_parsed(spec) is None for region in regions for specs in region.specs for spec in specs)
    left = sum(len(region.inputs) + len(region.outputs) for region in regions if _node(region) in floats)
    assert missing == left + sum(entry.port is not None for entry in report.unquantized)
    made_by_regions = [entry for entry in report.rescales if not entry.source.startswith("argument")]
    assert sum(_node_is_quantized(entry.source, floats) for entry in made_by_regions) == _rescales(module)
    # and idempotent
    assert propagate(module, graph.target, annotated(module, graph.specs, graph.coupled)) == report
    assert str(module) == text


def _node(region: RegionOp) -> str:
    from qconvert.ir.locations import describe

    return describe(region) or ""


def _node_is_quantized(source: str, floats: set[str]) -> bool:
    return source.removeprefix("node '").removesuffix("'") not in floats
