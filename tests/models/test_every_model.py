"""Every real model beside the repository: those that no family has in a format, and ONNX in onnxruntime by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import ReturnOp

from qconvert import EngineName, Format, convert, load, validate
from qconvert.dialects import stablehlo
from qconvert.engines.workers import exact_products
from qconvert.interpreter.core import main_function
from qconvert.ir import UniformQuantizedType, element_type, quantized
from qconvert.validation import Settings
from qconvert.validation.sampling.samples import arguments, random_samples
from tests.support.onnx_cases import default_session, reference_session
from tests.support.paths import SHARED_MODELS
from tests.support.shared_models import is_validated_by_family

pytestmark = [pytest.mark.corpora, pytest.mark.slow]

MODELS = sorted(path for kind in ("onnx", "tflite") for path in SHARED_MODELS.glob(f"*/*.{kind}"))
ENGINES = {Format.STABLEHLO: None, Format.ONNX: EngineName.ONNXRUNTIME, Format.TOSA: None}
OTHERS = [(path, to) for path in MODELS for to in ENGINES if not is_validated_by_family(path, to)]


@pytest.mark.litert
@pytest.mark.parametrize(
    ("path", "to"), OTHERS, ids=lambda value: value.stem if isinstance(value, Path) else str(value)
)
def test_a_conversion_validates_without_options(path: Path, to: Format) -> None:
    report = validate(path, settings=Settings(to, ENGINES[to], samples=2))
    assert report.passed, report.failures


@pytest.mark.parametrize("path", [path for path in MODELS if "lstm" not in path.stem], ids=lambda path: path.stem)
@pytest.mark.row("U03")
def test_onnxruntime_loads_every_conversion_by_default(path: Path) -> None:
    """With graph optimisation, whose rounding differs by a few steps, it agrees with itself without.

    Where products of bytes saturate, it is loaded and run only: the optimised form has others than the plain one.
    """
    model = load(path)
    converted = convert(model, Format.ONNX)
    assert converted.content is not None
    steps = output_steps(converted.fused)
    for sample in random_samples(arguments(converted.fused, model.input_names), 2, 0):
        plain, default = (outputs(converted.content, sample, optimise=optimise) for optimise in (False, True))
        if not exact_products.are_exact():
            continue
        for expected, found, step in zip(plain, default, steps, strict=True):
            largest = float(np.abs(expected.astype(np.float64)).max(initial=0.0))
            np.testing.assert_allclose(
                found.astype(np.float64), expected, rtol=0, atol=max(0.05 * largest, 1.001 * step)
            )


def output_steps(module: ModuleOp) -> list[float]:
    """Return the least difference of two values of each output: a scale, 1 for integers, 0 for floats."""
    steps, terminator = [], main_function(module).body.block.last_op
    assert isinstance(terminator, ReturnOp)
    for value in terminator.operands:
        source = value.owner.operand if isinstance(value.owner, stablehlo.UniformDequantizeOp) else value
        element = quantized(source)
        is_integer = isinstance(element_type(value), IntegerType | UniformQuantizedType)
        steps.append(1.0 if is_integer else 0.0 if element is None else element.scale)
    return steps


def outputs(content: bytes, sample: dict[str, NDArray[Any]], *, optimise: bool) -> list[NDArray[Any]]:
    session = default_session(content) if optimise else reference_session(content)
    names = [port.name for port in session.get_inputs()]
    return [np.asarray(array) for array in session.run(None, dict(zip(names, sample.values(), strict=True)))]
