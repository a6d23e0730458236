"""The targets for Ethos-U: each kernel, from floats to a program of the NPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import onnx
import pytest

from qconvert import TosaOptions, load, quantize
from qconvert.api import npu
from qconvert.backends.ethos_u.accelerator import EthosU
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, Npu
from qconvert.engines.vela import Compiled, Refused, Vela
from qconvert.quantization.calibration import run
from qconvert.quantization.targets import find
from tests.quantization.test_every_kernel import SHAPE, _source
from tests.support.parameters import few

pytestmark = [pytest.mark.npu, pytest.mark.tosa]
KERNELS = [f"{target}/{kernel}" for target in ("ethos-u", "ethos-u-int16") for kernel in find(target).kernel_names]


@pytest.fixture(autouse=True)
def _calibrate_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run, "_session", lambda module, watches: nullcontext(run._Interpreter(run._program(module, watches)))
    )


@pytest.fixture(scope="module")
def vela() -> Iterator[dict[Npu, Vela]]:
    with Vela(ETHOS_U85.config) as largest, Vela(ETHOS_U55.config) as smallest:
        yield {ETHOS_U85: largest, ETHOS_U55: smallest}


def _model(kernel: str) -> bytes:
    """A model of one kernel, without arguments that nothing uses: these would stay floats."""
    source = _source(kernel)
    if b"func.func" in source:
        is_alone = source.count(b"%y") == 1
        return source.replace(b", %y: tensor<1x4x6x6xf32>", b"").replace(b', "y"', b"") if is_alone else source
    model = onnx.load_from_string(source)
    used = {name for node in model.graph.node for name in node.input}
    for given in [given for given in model.graph.input if given.name not in used]:
        model.graph.input.remove(given)
    return model.SerializeToString()


def _compiled(target: str, kernel: str, processor: Npu, vela: Vela) -> Compiled | Refused:
    model, random = load(_model(kernel)), np.random.default_rng(0)
    samples = {name: random.uniform(0.5, 2.0, (4, *SHAPE)).astype(np.float32) for name in model.input_names}
    quantized = quantize(model, target, samples).model
    return vela.compile(
        npu._flatbuffer(npu._unnamed(npu._converted(quantized, TosaOptions(npu=EthosU(*processor))).module))
    )


@pytest.mark.parametrize("name", few(KERNELS, 4))
def test_every_kernel_runs_on_the_largest(name: str, vela: dict[Npu, Vela]) -> None:
    target, _, kernel = name.partition("/")
    assert isinstance(_compiled(target, kernel, ETHOS_U85, vela[ETHOS_U85]), Compiled)


@pytest.mark.parametrize(
    "kernel", few(("convolution", "add", "softmax", "average_pool", "gelu", "logistic", "mean"), 2)
)
def test_usual_kernels_of_8_bits_run_on_the_smallest(kernel: str, vela: dict[Npu, Vela]) -> None:
    assert isinstance(_compiled("ethos-u", kernel, ETHOS_U55, vela[ETHOS_U55]), Compiled)


def test_a_choice_does_not_run_on_the_smallest(vela: dict[Npu, Vela]) -> None:
    assert isinstance(_compiled("ethos-u", "select", ETHOS_U55, vela[ETHOS_U55]), Refused)
