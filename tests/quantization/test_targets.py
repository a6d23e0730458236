"""Targets as data: those shipped, those in files, what is wrong with one, and the restrictions by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp

from qconvert.dialects.quant_region import PortSpec, RegionOp
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.quantization.checks import check_target
from qconvert.quantization.fusion import DEFAULT_PATTERNS
from qconvert.quantization.propagation import propagate
from qconvert.quantization.rules import (
    FixedScale,
    MultiplierAccumulatorScale,
    SameScale,
    fixed_scale,
    free_scale,
    multiplier_scale,
    same_scale,
)
from qconvert.quantization.signature import NamedAxis, PortType, Signature, input_port
from qconvert.quantization.target import Fallback, Kernel, Target
from qconvert.quantization.targets import TARGETS, find
from qconvert.support.errors import UsageError
from tests.support.propagation import I8, I16, JOIN, RANGES, annotated, between, fused, uniform

NARROW, I32 = Storage(8, True, -127, 127), Storage.full(32, signed=True)
PORT = PortType(I8)


def test_shipped_targets_have_kernels_that_are_fused() -> None:
    known = {pattern.kernel for pattern in DEFAULT_PATTERNS}
    for target in TARGETS.values():
        assert set(target.kernel_names) <= known


def test_unknown_targets() -> None:
    message = f"no target 'tflite-int', perhaps 'tflite-int8' is meant; there are {', '.join(TARGETS)}, and files"
    with pytest.raises(UsageError, match=message):
        find("tflite-int")
    with pytest.raises(UsageError, match=r"nowhere\.toml: cannot be read: No such file"):
        find("nowhere.toml")


GOOD = """
name = "my-npu"
fallback = "float"
[ports]
act = { storage = "i8" }
weights = { storage = "i8<-127:127>", symmetric = true, axis = "output_feature" }
bias = { storage = "i32", symmetric = true, axis = 0 }
any = { default = "i16" }
plain = { float = true }
[[kernel]]
names = ["convolution", "fully_connected"]
inputs = ["act", "weights", "bias"]
optional = 1
outputs = ["act"]
rule = "multiplier_accumulator_scale"
[[kernel]]
names = ["softmax"]
inputs = ["act"]
outputs = ["act"]
rule = { fixed_scale = { scale = 0.00390625, zero_point = -128 } }
[[kernel]]
names = ["concatenate"]
inputs = ["any"]
outputs = ["any"]
variadic = true
rule = { same_scale = {} }
[[kernel]]
names = ["tanh"]
inputs = ["act"]
outputs = ["act"]
rule = { fixed_scale = { scale = 1, ports = ["input 0"] } }
[[kernel]]
names = ["gelu"]
inputs = ["plain"]
outputs = ["act"]
"""


def _written(tmp_path: Path, text: str) -> Target:
    path = tmp_path / "npu.toml"
    path.write_text(text)
    return find(path)


def test_a_target_from_a_file(tmp_path: Path) -> None:
    weights = PortType(NARROW, symmetric=True, axis=NamedAxis.OUTPUT_FEATURE)
    contraction = Signature((PORT, weights, PortType(I32, symmetric=True, axis=0)), (PORT,), optional=1)
    assert _written(tmp_path, GOOD) == Target(
        "my-npu",
        (
            Kernel("convolution", contraction, MultiplierAccumulatorScale()),
            Kernel("fully_connected", contraction, MultiplierAccumulatorScale()),
            Kernel("softmax", Signature((PORT,), (PORT,)), FixedScale(1 / 256, -128)),
            Kernel(
                "concatenate", Signature((PortType(default=I16),), (PortType(default=I16),), variadic=True), SameScale()
            ),
            Kernel("tanh", Signature((PORT,), (PORT,)), FixedScale(1.0, 0, (input_port(0),))),
            Kernel("gelu", Signature((PortType(is_float=True),), (PORT,)), free_scale),
        ),
        Fallback.FLOAT,
    )


def test_a_file_may_extend_a_target(tmp_path: Path) -> None:
    lines = ['name = "mine"', 'extends = "tosa-int8"', "[ports]", 'act = { storage = "i8" }', "[[kernel]]"]
    lines += ['names = ["softmax"]', 'inputs = ["act"]', 'outputs = ["act"]', 'rule = "free_scale"']
    target = _written(tmp_path, "\n".join(lines))
    assert target.named("softmax") == (Kernel("softmax", Signature((PORT,), (PORT,)), free_scale),)
    assert target.kernel_names[1:] == tuple(name for name in find("tosa-int8").kernel_names if name != "softmax")


OWN = """name = "mine"
[ports]
act = { storage = "i8" }
[[kernel]]
names = ["scaled_sigmoid"]
inputs = ["act", "act"]
outputs = ["act"]
[[pattern]]
kernel = "scaled_sigmoid"
ops = ["logistic", "multiply"]
"""


def test_a_name_of_ones_own_may_resemble_another_if_a_pattern_finds_it(tmp_path: Path) -> None:
    assert _written(tmp_path, OWN).kernel_names == ("scaled_sigmoid",)
    for text in (OWN[: OWN.index("[[pattern]]")], OWN.replace('"scaled_sigmoid"]', '"tanh"]')):
        with pytest.raises(UsageError, match="'scaled_sigmoid' is unknown, perhaps 'hard_sigmoid' is meant"):
            _written(tmp_path, text)


WRONG = [
    (
        'fallback = "float"',
        'fallback = "flaot"',
        "fallback: 'flaot' is unknown, perhaps 'float' is meant; allowed are error, float",
    ),
    (
        "optional = 1",
        "optionl = 1",
        r"kernel\[0\]\.optionl: the key is unknown, perhaps 'optional' is meant; allowed are names, ",
    ),
    (
        'names = ["softmax"]',
        'names = ["sofmax"]',
        r"kernel\[1\]\.names: 'sofmax' is unknown, perhaps 'softmax' is meant",
    ),
    (
        '"multiplier_accumulator_scale"',
        '"accumulator"',
        r"kernel\[0\]\.rule: 'accumulator' is unknown.*allowed are free_scale, fixed",
    ),
    (
        "zero_point = -128",
        "zero = -128",
        r"kernel\[1\]\.rule\.fixed_scale\.zero: the key is unknown.*allowed are scale, zero_po",
    ),
    ("scale = 0.00390625, ", "", r"kernel\[1\]\.rule\.fixed_scale\.scale: this is missing"),
    (
        "scale = 0.00390625",
        "scale = nan",
        r"kernel\[1\]\.rule: kernel 'softmax'.*the scale is nan, which is not a finite",
    ),
    (
        "zero_point = -128",
        "zero_point = -129",
        r"kernel\[1\]\.rule: kernel 'softmax'.*zero point -129 does not fit output 0, which is i8",
    ),
    ("zero_point = -128", 'zero_point = "x"', r"zero_point: a whole number is needed, found 'x'"),
    (
        'inputs = ["any"]',
        'inputs = ["ony"]',
        r"kernel\[2\]\.inputs: 'ony' is unknown, perhaps 'any' is meant; allowed are act, weights",
    ),
    (
        'outputs = ["any"]',
        'outputs = ["act"]',
        r"kernel\[2\]\.rule: kernel 'concatenate'.*same_scale: its ports differ: any \(default i16\), i8",
    ),
    (
        'storage = "i8" }',
        'storage = "int8" }',
        r"ports\.act\.storage: 'int8' is not a storage type; allowed are i2, i4, i8",
    ),
    ("i8<-127:127>", "i8<-129:127>", r"ports\.weights\.storage: -129:127 is not a range of i8, which has -128:127"),
    (
        'axis = "output_feature"',
        'axis = "output"',
        r"ports\.weights\.axis: 'output' is unknown.*allowed are output_feature",
    ),
    ("axis = 0", "axis = -1", r"ports\.bias\.axis: a dimension from 0 on is needed"),
    (
        "plain = { float = true }",
        'plain = { float = true, storage = "i8" }',
        r"ports\.plain: a float port has no storage",
    ),
    ("any = { default", 'any = { storage = "i8", default', r"ports\.any: a port needs a storage, or"),
    (
        'ports = ["input 0"]',
        'ports = ["in 0"]',
        r"fixed_scale\.ports: 'in 0' is not a port; write 'input 0' or 'output 0'",
    ),
    (
        'ports = ["input 0"]',
        'ports = ["input 3"]',
        r"kernel\[3\]\.rule: .*fixed_scale: input 3 is missing, a quantized port is needed",
    ),
    ('name = "my-npu"', 'name = "tosa-int8"', "name: the name 'tosa-int8' is taken; choose another"),
    ('name = "my-npu"', "", "name: this is missing"),
    ('names = ["softmax"]', "names = []", r"kernel\[1\]\.names: a kernel needs a name"),
    ("scale = 1,", "scale = 1" + "0" * 400 + ",", r"kernel\[3\].*scale: a number up to 1048576 is needed, found 10000"),
    ("scale = 1,", "scale = 1" + "0" * 5000 + ",", "a number has more than 1,000 digits"),
    ("variadic = true", "variadic = 1", r"kernel\[2\]\.variadic: true or false is needed, found 1"),
    ("same_scale = {} }", "same_scale = {}, free_scale = {} }", r"kernel\[2\]\.rule: one rule is needed, found 2"),
    (
        'names = ["gelu"]',
        'names = ["tanh"]\nvariadic = false\noptional = 2',
        r"kernel\[4\]: optional is 2, it must be 0 to 1",
    ),
    (
        "[ports]",
        "[prots]",
        r"prots: the key is unknown, perhaps 'ports' is meant; allowed are name, fallback, export, extends, ports",
    ),
    ('name = "my-npu"', 'name = "my-npu', r"this is not valid TOML: Illegal character"),
]


@pytest.mark.parametrize(("before", "after", "message"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_file_with_a_mistake(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert before in GOOD
    with pytest.raises(UsageError, match=rf"^[^:]*npu\.toml: (\S*\.)?{message}") as raised:
        _written(tmp_path, GOOD.replace(before, after, 1))
    assert str(raised.value).startswith(str(tmp_path))


def test_what_contradicts_itself_in_python() -> None:
    same = Signature((PORT,), (PortType(I16),))
    wide = PortType(NARROW, symmetric=True, axis=0)
    product = Signature((wide, PORT), (PortType(I8, symmetric=True),))
    cases: list[tuple[Callable[[], object], str]] = [
        (PortType, "a port needs a storage, or"),
        (lambda: PortType(I8, axis=0), "must be symmetric"),
        (
            lambda: PortType(Storage(8, True, 1, 127), symmetric=True),
            "needs the integer 0, which i8<1:127> does not have",
        ),
        (lambda: Signature((), (PORT,), variadic=True), "a variadic kernel needs at least one input"),
        (lambda: Kernel("abs", same, same_scale), r"'abs' \(i8\) -> \(i16\): same_scale: its ports differ: i16, i8"),
        (
            lambda: Kernel("abs", Signature((wide,), (wide,)), same_scale),
            "a port with scales along an axis cannot share one scale",
        ),
        (
            lambda: Kernel("m", Signature((PORT, PORT), (PORT,)), multiplier_scale),
            "output 0 must be symmetric, found i8",
        ),
        (
            lambda: Kernel("m", product, multiplier_scale),
            "output 0 needs an axis, because a factor has scales along an axis",
        ),
        (lambda: Kernel("abs", Signature((PORT,), (PORT,)), fixed_scale(-1.0)), "the scale is -1.0"),
        (lambda: Target("t", (ABS, ABS)), "target 't': kernel .* is listed twice"),
    ]
    for make, message in cases:
        with pytest.raises(UsageError, match=message):
            make()


ABS = Kernel("abs", Signature((PORT,), (PORT,)), free_scale)

DENSE = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2xf32> attributes {input_names = ["x"]} {
  %w = stablehlo.constant dense<[[1.0, 0.5], [1.0, -2.0], [0.25, 1.0]]> : tensor<3x2xf32>
  %b = stablehlo.constant dense<[3.0, -2.0]> : tensor<2xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %s = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
  %y = stablehlo.add %d, %s : tensor<2x2xf32> loc("y")
  %t = stablehlo.tanh %y : tensor<2x2xf32> loc("t")
  return %t : tensor<2x2xf32>
}
"""
DENSE_RANGES = {"x": between(-1.0, 1.0), "y": between(0.0, 4.0)}


def _axis(storage: Storage, zero_points: tuple[int, ...], axis: int) -> UniformQuantizedType:
    return UniformQuantizedType.per_axis(storage, (0.5,) * len(zero_points), zero_points, axis)


_BIAS = {"bias-scale", "product-scale"}
VIOLATIONS: list[tuple[str, str, int, PortSpec, set[str]]] = [
    ("fully_connected", "input", 0, uniform(0.5, 1, NARROW), {"activation-int8", "storage", *_BIAS}),
    ("fully_connected", "output", 0, _axis(I8, (0, 0), 1), {"activation-per-tensor", "axis"}),
    ("fully_connected", "input", 1, _axis(I8, (0, 0), 1), {"weights-narrow-range", "storage", *_BIAS}),
    ("fully_connected", "input", 1, _axis(NARROW, (0, 1), 1), {"weights-zero-point", "zero-point", *_BIAS}),
    ("fully_connected", "input", 1, _axis(NARROW, (0, 0, 0), 0), {"weights-axis", "axis", *_BIAS}),
    ("fully_connected", "input", 2, uniform(0.5, 0, I16), {"bias-int32", "storage", *_BIAS}),
    ("tanh", "output", 0, uniform(1 / 64), {"output-scale-zero-point", "fixed-scale"}),
    ("concatenate", "input", 0, uniform(0.5), {"same-scale-zero-point", "same-scale"}),
]


def _change(module: ModuleOp, kernel: str, side: str, index: int, spec: PortSpec) -> None:
    (region,) = (op for op in module.walk() if isinstance(op, RegionOp) and op.logical_kernel.data == kernel)
    specs = list(region.input_specs if side == "input" else region.output_specs)
    specs[index] = spec
    if side == "input":
        region.input_specs = ArrayAttr(specs)
    else:
        region.output_specs = ArrayAttr(specs)


@pytest.mark.parametrize(("kernel", "side", "index", "spec", "names"), VIOLATIONS)
def test_each_restriction_is_named(kernel: str, side: str, index: int, spec: PortSpec, names: set[str]) -> None:
    target = find("tflite-int8")
    text, ranges = (JOIN, RANGES) if kernel == "concatenate" else (DENSE, DENSE_RANGES)
    module = fused(text)
    propagate(module, target, annotated(module, ranges))
    assert check_target(module, target) == []
    _change(module, kernel, side, index, spec)
    found = check_target(module, target)
    assert {violation.check for violation in found} == names
    assert {violation.kernel for violation in found} == {kernel}


def test_a_violation_says_where() -> None:
    module = fused(DENSE)
    propagate(module, find("tflite-int8"), annotated(module, DENSE_RANGES))
    _change(module, "tanh", "output", 0, uniform(0.5))
    (first, _) = check_target(module, find("tflite-int8"))
    where = "output-scale-zero-point: node 't' (tanh), output 0"
    assert str(first) == f"{where}: TANH has !quant.uniform<i8:f32, 0.5>, not 0.0078125:0"
    (missing,) = {violation.check for violation in check_target(module, Target("empty", ()))}
    assert missing == "kernel"
