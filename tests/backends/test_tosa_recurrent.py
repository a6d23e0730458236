"""Recurrent layers of ONNX between quantizers, computed in integers in TOSA's int profile, beside onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.support.errors import FloatsRemainError
from qconvert.validation import Settings
from tests.backends.test_tosa_fixed_point import SUM, Chain, in_tosa, node, normal, samples
from tests.support.ethos_u import compile_for
from tests.support.parameters import few


def recurrent(kind: str, steps: int, *, axis: bool = False, **attributes: Any) -> Chain:
    """Return a recurrent layer of 8 units by quantized weights over rows of 'x'; ``axis``: a scale for each row."""
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    scales = np.float32(0.004) * (1 + np.arange(8 * gates) % 3) / 2 if axis else np.float32(0.004)
    known = {
        "w_in": np.clip(normal(1, gates * 8, 9) * 40, -127, 127).astype(np.int8),
        "u_in": np.clip(normal(1, gates * 8, 8, seed=1) * 40, -127, 127).astype(np.int8),
        "s": np.asarray(scales, np.float32),
        "z": np.zeros(np.shape(scales), np.int8),
        "bias": normal(1, 16 * gates, seed=2) / 10,
        "zero": np.array([0]),
        "one": np.array([1]),
        "steps": np.array([steps]),
    }
    nodes = [SUM, node("Squeeze", "a zero", "rows"), node("Slice", "rows zero steps zero", "some")]
    nodes += [node("DequantizeLinear", f"{name}_in s z", name, axis=1) for name in ("w", "u")]
    nodes += [node(kind, "some w u bias", "h", hidden_size=8, **attributes), node("Squeeze", "h one")]
    return Chain(tuple(nodes), 1 / 128, 0, known)


RECURRENT: dict[str, Chain] = {
    "RNN of 8 steps": recurrent("RNN", 8),
    "RNN of Relu": recurrent("RNN", 2, activations=["Relu"]),
    "GRU": recurrent("GRU", 3),
    "GRU with scales for each row": recurrent("GRU", 2, axis=True),
    "GRU, linear before reset": recurrent("GRU", 2, linear_before_reset=1),
    "LSTM": recurrent("LSTM", 3),
    "LSTM with scales for each row": recurrent("LSTM", 2, axis=True),
}


@pytest.mark.tosa
@pytest.mark.parametrize("name", few(RECURRENT, 1))
def test_short_recurrent_layers_equal_onnxruntime_but_for_ties(name: str) -> None:
    chain = RECURRENT[name]
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures
    assert [output.max_lsb for output in report.outputs if output.max_lsb and output.max_lsb > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RECURRENT)
def test_vela_compiles_recurrent_layers(name: str, tmp_path: Path) -> None:
    compile_for("ethos-u85-256", RECURRENT[name].model(8), tmp_path)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("profile", [Format.STABLEHLO, Format.TOSA])
def test_recurrent_layers_between_quantizers_are_read(kind: str, profile: Format) -> None:
    """They were taken for ops on quantized values, which made modules that are not valid."""
    assert "xf32" in convert(load(recurrent(kind, 8).model(8)), profile).text


def test_a_layer_whose_errors_add_up_over_many_steps_stays_float() -> None:
    with pytest.raises(FloatsRemainError, match="LSTM_h"):
        in_tosa(recurrent("LSTM", 8), Profile.INT)
