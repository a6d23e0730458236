"""Images of few features: which convolutions read them in another shape, which arguments are copied."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from qconvert.backends.ethos_u.forms.columns_to_features import ColumnsToFeatures
from qconvert.backends.ethos_u.forms.copy_images import CopyImages
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U65, ETHOS_U85, EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import i8, i32, shape
from qconvert.rewriting import Pass, run_passes
from tests.support.tosa_programs import argument, module_of

SIZES = (1, 32, 32, 3)


def network(
    sizes: tuple[int, ...] = SIZES,
    *,
    kernel: tuple[int, int] = (3, 3),
    stride: int = 2,
    pads: tuple[int, ...] = (1, 0, 1, 0),
    dilation: int = 1,
    computed: bool = True,
    readers: int = 1,
) -> ModuleOp:
    """A convolution of an image."""
    block, build = Block(), TosaBuilder()
    image: SSAValue = argument(block, i8, sizes)
    image = build.rescale(image, 1.0, i8) if computed else image
    parameters = (build.constant(np.ones((8, *kernel, sizes[-1])), i8), build.constant(np.zeros(8), i32))
    zeros = build.zero_point(-4, i8), build.zero_point(0, i8)
    window = tosa.ConvWindow(pads, (stride, stride), (dilation, dilation))
    results = [build.add(tosa.Conv2DOp((image, *parameters, *zeros), window, i32))]
    return module_of(block, build, results + [build.rescale(image, 0.5, i8) for _ in range(readers - 1)])


def convolutions(module: ModuleOp, step: Pass) -> tuple[list[tosa.Conv2DOp], list[str]]:
    """The module's convolutions after a pass, and the reasons of its refusals."""
    [result] = run_passes(module, [step])
    reasons = [refusal.reason for refusal in result.refusals]
    return [op for op in module.walk() if isinstance(op, tosa.Conv2DOp)], reasons


@pytest.mark.parametrize(
    ("pads", "low", "high"),
    [((1, 0, 1, 0), 1, 0), ((0, 1, 0, 1), 0, 1), ((0, 1, 2, 1), 1, 1)],
    ids=["left", "right", "both"],
)
def test_columns_of_a_step_become_features(pads: tuple[int, ...], low: int, high: int) -> None:
    found, reasons = convolutions(network(pads=pads), ColumnsToFeatures(ETHOS_U85))
    made = found[-1]
    assert not reasons
    assert shape(made.input) == (1, 32, 16, 6)
    assert shape(made.weight) == (8, 3, 2, 6)
    assert made.window == tosa.ConvWindow((*pads[:2], low, high), (2, 1), (1, 1))


@pytest.mark.parametrize(
    ("module", "npu", "reason"),
    [
        (network(), ETHOS_U55, "do not compute 6 features in the time of 3"),
        (network(), EVERY_NPU, "do not compute 6 features in the time of 3"),
        (network((1, 32, 32, 5)), ETHOS_U85, "do not compute 10 features"),
        (network(computed=False), ETHOS_U85, "not in the fast memory"),
        (network((1, 1024, 1024, 3)), ETHOS_U85, "not in the fast memory"),
        (network((1, 32, 31, 3), pads=(1, 0, 1, 1)), ETHOS_U85, "not a multiple of its step"),
        (network(dilation=2, pads=(1, 2, 1, 2)), ETHOS_U85, "the kernel's are apart"),
        (network(stride=1), ETHOS_U85, None),
    ],
    ids=["U55", "every", "features", "argument", "large", "odd", "dilated", "no step"],
)
def test_other_convolutions_stay(module: ModuleOp, npu: Npu, reason: str | None) -> None:
    before = str(module)
    _, reasons = convolutions(module, ColumnsToFeatures(npu))
    assert str(module) == before
    assert [reason in found for found in reasons] == [True] if reason else not reasons


def test_a_kernel_of_one_column_stays() -> None:
    module = network((1, 31, 32, 3), kernel=(1, 1), pads=(0, 0, 0, 1))
    _, reasons = convolutions(module, ColumnsToFeatures(ETHOS_U85))
    assert reasons == ["the kernel would not have fewer columns"]


def test_an_argument_is_copied_in_whole_lines() -> None:
    found, reasons = convolutions(network(computed=False), CopyImages(ETHOS_U85))
    assert not reasons
    assert [shape(op.input) for op in found] == [(1, 1, 192, 16), SIZES]
    weight = parameter_array(found[0].weight)
    assert weight is not None
    np.testing.assert_array_equal(np.squeeze(weight), np.eye(16))


@pytest.mark.parametrize(
    ("module", "npu", "reason"),
    [
        (network(computed=False), ETHOS_U65, "does not fit"),
        (network(computed=False), EVERY_NPU, "does not fit"),
        (network((1, 512, 512, 3), computed=False), ETHOS_U85, "does not fit"),
        (network((1, 8, 8, 3), computed=False), ETHOS_U85, "it is small"),
        (network((1, 32, 32, 16), computed=False), ETHOS_U85, "whole lines"),
        (network((1, 30, 30, 3), computed=False), ETHOS_U85, "whole lines"),
        (network(computed=False, readers=2), ETHOS_U85, "other ops read it"),
        (network(), ETHOS_U85, None),
    ],
    ids=["U65", "every", "large", "small", "features", "no lines", "readers", "computed"],
)
def test_other_images_are_not_copied(module: ModuleOp, npu: Npu, reason: str | None) -> None:
    before = str(module)
    _, reasons = convolutions(module, CopyImages(npu))
    assert str(module) == before
    assert [reason in found for found in reasons] == [True] if reason else not reasons
