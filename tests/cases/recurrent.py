"""Recurrent operators of TFLite, whose steps and states are LiteRT's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from make_lstm import Lstm, lstm_operator
from make_svdf import Svdf, svdf_operator
from tflite_writer import Operator, write_model

SAMPLES = 24
LSTMS = {
    "fixture": Lstm(),
    "batches": Lstm(batch=3, steps=5, seed=1),
    "time-major": Lstm(batch=2, steps=4, time_major=True, seed=2),
    "no-input-gate": Lstm(has_input_gate=False, seed=3),
    "unclipped": Lstm(cell_clip=0.0, seed=4),
    "clipped": Lstm(cell_clip=0.25, seed=5),
    "saturated": Lstm(gain=12.0, steps=20, seed=6),
    "small": Lstm(gain=0.02, seed=7),
    "one-step": Lstm(steps=1, seed=8),
    "long": Lstm(units=5, features=3, steps=60, gain=3.0, seed=9),
}
SVDFS = {
    "fixture": Svdf(),
    "batches": Svdf(batch=3, seed=1),
    "rank-1": Svdf(rank=1, seed=2),
    "unbiased": Svdf(has_bias=False, seed=3),
    "no-memory": Svdf(memory=1, seed=4),
    "wide": Svdf(rank=3, memory=9, units=7, features=40, seed=5),
    "small": Svdf(gain=0.05, seed=6),
    "shifted-state": Svdf(seed=7, state_zero_point=-32768),
}


def sequences(operator: Operator) -> list[NDArray[np.int8]]:
    """Return inputs, half over the full range, half near the zero point."""
    tensor = operator.inputs[0]
    assert tensor is not None
    rng = np.random.default_rng(0)
    full = rng.integers(-128, 128, (SAMPLES // 2, *tensor.shape))
    near = np.clip(rng.integers(-6, 7, (SAMPLES // 2, *tensor.shape)) + tensor.zero_point, -128, 127)
    return list(np.concatenate([full, near]).astype(np.int8))


@dataclass(frozen=True)
class Recurrent:
    """A recurrent operator, and how far its integers may be from LiteRT's. StableHLO's are compared by a test."""

    operator: Operator
    has_state: bool = False
    most: int = 0
    apart: int | None = None
    resolver: str = "reference"

    def model(self) -> bytes:
        """Return the file."""
        return write_model(self.operator)

    def samples(self) -> list[dict[str, NDArray[Any]]]:
        """Return inputs, with the states that a float SVDF could have left and one of zeros."""
        feeds: list[dict[str, NDArray[Any]]] = [{"sequence": array} for array in sequences(self.operator)]
        if self.has_state:
            state = self.operator.inputs[4]
            assert state is not None
            states = np.random.default_rng(3).integers(-9000, 9001, (SAMPLES, *state.shape)).astype(np.int16)
            states[0] = 0
            feeds = [{**feed, "state": before} for feed, before in zip(feeds, states, strict=True)]
        return feeds


CASES = {
    **{f"LSTM {name}": Recurrent(lstm_operator(lstm)) for name, lstm in LSTMS.items()},
    **{f"SVDF {name}": Recurrent(svdf_operator(svdf), has_state=True) for name, svdf in SVDFS.items()},
}
