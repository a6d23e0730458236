"""Export for code generation: how many rescales are left, and that integers are those of fixed kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import load
from qconvert.dialects.stablehlo import UniformDequantizeOp
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.ir.types import quantized
from qconvert.passes import make_pass
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.passes.rescaling.push_rescales import PushRescales
from qconvert.quantization.annotations import from_statistics
from qconvert.quantization.calibration.run import calibrate
from qconvert.quantization.constraints import collect
from qconvert.quantization.export_codegen import CodegenReport, export_codegen
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.propagation import propagate
from qconvert.quantization.target import Export
from qconvert.quantization.targets import TARGETS, find
from qconvert.rewriting.base import run_passes
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import UsageError
from tests.support.convolution_chains import Array, Network, Value, steps, unrounded
from tests.support.paths import FIXTURES

TEST = read_arrays(FIXTURES / "digits_test.npz")
LENGTHS = (1, 2, 3, 4, 6)
Built = tuple[ModuleOp, list[Value]]


def chain(length: int, seed: int, *, per_axis: bool = False, skip: bool = False) -> Built:
    """Conv -> relu -> conv -> .., and then maybe the input added."""
    net = Network(seed)
    start = value = net.argument()
    for i in range(length):
        value = net.conv(value, per_axis=per_axis, relu=i < length - 1)
    if skip:
        value = net.sum(value, start)
    return net.module(value), [value]


def fixed(module: ModuleOp) -> ModuleOp:
    """What a target with fixed kernels computes."""
    copy = module.clone()
    run_passes(copy, [Fold(), LegalizeQdqToQuantizedOp()])
    return copy


def exported(module: ModuleOp, *, widest: int = 64, primitive: bool = False) -> tuple[ModuleOp, CodegenReport]:
    copy = module.clone()
    report = export_codegen(copy, widest=widest)
    if primitive:
        run_passes(copy, [make_pass("tosa-rescale-legalize-to-stablehlo")])
    assert not report.floats
    return copy, report


def samples(seed: int, shape: Sequence[int] = (4, 6, 6, 4), count: int = 1) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(np.float32) for _ in range(count)]


def differences(built: Built, inputs: Sequence[Array], widest: int = 64) -> Array:
    """The steps between the two exports, at all outputs."""
    module, outputs = built
    expected, found = evaluate(fixed(module), inputs), evaluate(exported(module, widest=widest)[0], inputs)
    parts = [steps(b, a, output.element).reshape(-1) for a, b, output in zip(expected, found, outputs, strict=True)]
    return np.concatenate(parts)


@pytest.mark.quick(2)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("skip", [False, True])
def test_rescales_are_outputs_and_joins(length: int, skip: bool) -> None:
    module, outputs = chain(length, length, skip=skip)
    _, report = exported(module)
    assert report.before == length + 3 * skip
    assert report.after == len(outputs) + skip
    assert [refusal.reason for refusal in report.kept] == [
        "operands of several scales meet: it is brought to the finest"
    ] * skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("skip", [False, True])
def test_integers_are_within_a_step_of_fixed_kernels(length: int, skip: bool) -> None:
    assert differences(chain(length, length, skip=skip), samples(length)).max() <= 1


@pytest.mark.quick(1)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("skip", [False, True])
def test_scales_of_channels_go_on_into_weights(length: int, skip: bool) -> None:
    built = chain(length, length, per_axis=True, skip=skip)
    assert exported(built[0])[1].after == 1 + skip
    assert differences(built, samples(length)).max() <= 1


@pytest.mark.slow
@pytest.mark.parametrize("per_axis", [False, True])
def test_sums_wider_than_the_integers_are_a_rescale(per_axis: bool) -> None:
    built = chain(6, 6, per_axis=per_axis)
    module, outputs = built
    for widest in (32, 64):
        _, report = exported(module, widest=widest)
        wide = [refusal for refusal in report.kept if f"outside {widest} bits" in refusal.reason]
        assert report.after == len(outputs) + len(wide)
        assert bool(wide) == (widest == 32 or per_axis)
        assert differences(built, samples(6), widest).max() <= (3 if per_axis else 1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("length", "per_axis"), [(1, False), (3, False), (6, False), (2, True), (3, True)])
def test_what_differs_is_what_fixed_kernels_round(length: int, per_axis: bool, seed: int) -> None:
    """The integers are those of real arithmetic between the same quantized numbers, rounded once at the end."""
    module, outputs = chain(length, seed, per_axis=per_axis, skip=True)
    inputs = samples(seed)
    found, exact = evaluate(exported(module)[0], inputs), unrounded(module, inputs)
    fixed_ = evaluate(fixed(module), inputs)
    for a, b, c, output in zip(found, exact, fixed_, outputs, strict=True):
        step = output.element.scale
        assert np.abs(a - b).max() <= 0.52 * step
        assert length == 1 or np.abs(c - b).max() > 0.51 * step


def several_outputs(seed: int) -> Built:
    net = Network(seed)
    first = net.conv(net.argument())
    second = net.conv(net.conv(first))
    third = net.conv(second, relu=False)
    return net.module(first, second, third), [first, second, third]


def two_inputs(seed: int) -> Built:
    net = Network(seed)
    left, right = net.conv(net.argument()), net.conv(net.argument(), 6)
    return (net.module(value := net.conv(net.concat(left, right))), [value])


def rows(seed: int) -> Built:
    net = Network(seed)
    left, right = net.conv(net.argument()), net.conv(net.argument())
    return (net.module(value := net.conv(net.concat(left, right, axis=1))), [value])


def depthwise(seed: int) -> Built:
    net = Network(seed)
    value = net.conv(net.conv(net.argument(), per_axis=True), 8, per_axis=True, depthwise=True)
    return (net.module(value := net.conv(value, per_axis=True)), [value])


def pooled(seed: int) -> Built:
    net = Network(seed)
    value = net.average(net.largest(net.conv(net.argument(), per_axis=True)))
    return (net.module(value := net.conv(value)), [value])


NETWORKS: list[tuple[Callable[[int], Built], int, int]] = [
    (several_outputs, 1, 3),
    (two_inputs, 2, 1),
    (rows, 2, 2),
    (depthwise, 1, 1),
    (pooled, 1, 1),
]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("build", "arguments", "rescales"), NETWORKS, ids=[n[0].__name__ for n in NETWORKS])
def test_other_networks(build: Callable[[int], Built], arguments: int, rescales: int) -> None:
    built = build(7)
    assert exported(built[0])[1].after == rescales
    assert differences(built, samples(7, count=arguments)).max() <= 2


def test_what_was_put_side_by_side_is_rescaled_once_for_all_that_need_it() -> None:
    """Two convolutions whose sums would be too wide take one concatenation."""
    net = Network(3)
    both = net.concat(net.conv(net.conv(net.argument())), net.conv(net.conv(net.argument())))
    left, right = net.conv(both, 4), net.conv(both, 3)
    built = net.module(left, right), [left, right]
    _, report = exported(built[0], widest=32)
    too_wide = [refusal for refusal in report.kept if refusal.op == "stablehlo.convolution"]
    assert len(too_wide) == 2
    assert report.after == 2 + 1
    assert differences(built, samples(3, count=2), widest=32).max() <= 2


@pytest.mark.slow
@pytest.mark.parametrize(("build", "arguments", "rescales"), NETWORKS, ids=[n[0].__name__ for n in NETWORKS])
def test_nothing_wraps_at_the_ends_of_storage(build: Callable[[int], Built], arguments: int, rescales: int) -> None:
    """Bounds are proven: inputs that saturate everything give what fixed kernels give."""
    built = build(11)
    signs = [np.sign(array) * 1e3 for array in samples(11, count=arguments)]
    for scale in (1, -1, 0):
        inputs = [(np.abs(array) * scale if scale else array).astype(np.float32) for array in signs]
        assert differences(built, inputs).max() <= 2


SPELLED: tuple[Callable[[], Built], ...] = (
    lambda: chain(4, 4, skip=True),
    lambda: chain(4, 4, per_axis=True),
    lambda: rows(4),
    lambda: several_outputs(4),
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("number", range(len(SPELLED)))
def test_the_primitive_form_is_equal_bit_for_bit(number: int) -> None:
    module, _ = SPELLED[number]()
    rescaled, primitive = exported(module)[0], exported(module, primitive=True)[0]
    assert not any(op.dialect_name() == "tosa" for op in primitive.walk())
    inputs = samples(4, count=len(main_function(module).body.block.args))
    for a, b in zip(evaluate(rescaled, inputs), evaluate(primitive, inputs), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.stablehlo
@pytest.mark.parametrize("per_axis", [False, True])
def test_the_specification_says_the_same_of_the_primitive_form(per_axis: bool) -> None:
    """Jaxlib's interpreter, with convolutions of 64 bits among them."""
    from qconvert.engines import stablehlo

    net = Network(5, (1, 4, 4, 2))
    start = value = net.argument()
    for _ in range(4):
        value = net.conv(value, per_axis=per_axis)
    primitive, _ = exported(net.module(net.sum(value, start)), primitive=True)
    assert any("convolution" in op.name and "i64" in str(op.results[0].type) for op in primitive.walk())
    inputs = samples(5, (1, 4, 4, 2))
    [found] = stablehlo.run_samples(module_text(primitive), [inputs])[0]
    np.testing.assert_array_equal(found, evaluate(primitive, inputs)[0])


def test_running_the_pass_again_changes_nothing() -> None:
    module, _ = exported(chain(6, 6, per_axis=True, skip=True)[0])
    text = module_text(module)
    assert not PushRescales().apply(module).changed
    assert module_text(module) == text


@cache
def digits() -> ModuleOp:
    """The float digits network with parameters at the ports of its kernels."""
    module = load(FIXTURES / "float" / "digits_cnn.onnx").module.clone()
    run_passes(module, [Fold()])
    statistics = calibrate(module, [{"image": image[None]} for image in TEST["image"][:64]])
    run_passes(module, [FuseKernels()])
    report = propagate(module, find("codegen-int8"), collect(module, [from_statistics(statistics)]))
    assert report.fully_quantized
    return module


@pytest.mark.slow
def test_a_float_network_becomes_integers_that_are_rescaled_twice_on_the_way() -> None:
    """One join, and one sum too wide; no test image is classified otherwise than by fixed kernels or the floats."""
    module, report = exported(digits())
    assert (report.before, report.after) == (10, 3)
    assert [refusal.node for refusal in report.kept] == ["add_1", "gemm_1"]
    kernels = digits().clone()
    export_fixed(kernels)
    [output] = [op.operand for op in kernels.walk() if isinstance(op, UniformDequantizeOp)][-1:]
    element = quantized(output)
    run_passes(kernels, [Fold(), LegalizeQdqToQuantizedOp()])
    differ = []
    for image, label in zip(TEST["image"][:100], TEST["label"], strict=False):
        [expected], [found] = evaluate(kernels, [image[None]]), evaluate(module, [image[None]])
        differ.append(steps(found, expected, element))
        assert (found.argmax() == label) == (expected.argmax() == label)
    assert np.concatenate(differ).max() <= 2
    assert (np.concatenate(differ) <= 1).mean() > 0.995


def test_the_target_says_that_code_is_generated() -> None:
    exports = {name: target.export for name, target in TARGETS.items()}
    assert exports.pop("codegen-int8") is Export.CODEGEN
    assert set(exports.values()) == {Export.FIXED_KERNELS}


def test_a_file_says_that_code_is_generated(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    for text, export in (
        ('extends = "codegen-int8"', Export.CODEGEN),
        ('extends = "tosa-int8"', Export.FIXED_KERNELS),
        ('extends = "tosa-int8"\nexport = "code-gen"', Export.CODEGEN),
    ):
        path.write_text(f'name = "own"\n{text}\n')
        assert find(path).export is export
    path.write_text('name = "own"\nextends = "tosa-int8"\nexport = "codegen"\n')
    with pytest.raises(UsageError, match="export: 'codegen' is unknown, perhaps 'code-gen' is meant; allowed"):
        find(path)
