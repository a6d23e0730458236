"""Real .tflite models, read and written again: LiteRT's integers from both of its resolvers, operators and size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tflite

from qconvert import EngineName, Format, convert, load
from qconvert.engines import child, wire
from qconvert.engines.litert import Resolver
from qconvert.support.errors import EngineError
from qconvert.validation.sampling.samples import arguments, random_samples
from tests.support.paths import SHARED_MODELS

pytestmark = [pytest.mark.corpora, pytest.mark.litert]

MODELS = sorted((SHARED_MODELS / "tflite").glob("*.tflite"))
LARGER = 4096
"""Bytes that a file may be larger: names of tensors, a signature, versions."""

ALIKE = {"STRIDED_SLICE": "SLICE", "DEPTHWISE_CONV_2D": "CONV_2D"}
"""Operators that are others in the IR: slices without strides, depthwise convolutions of one channel."""


def operators(content: bytes) -> Counter[str]:
    """Return how many operators of each kind the main subgraph has, by ALIKE."""
    model = tflite.Model.GetRootAs(content, 0)
    graph, names = model.Subgraphs(0), {v: k for k, v in vars(tflite.BuiltinOperator).items() if isinstance(v, int)}
    codes = [model.OperatorCodes(graph.Operators(i).OpcodeIndex()) for i in range(graph.OperatorsLength())]
    found = [names[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())] for code in codes]
    return Counter(ALIKE.get(name, name) for name in found)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_what_is_written_again_computes_the_same(path: Path) -> None:
    model, source = load(path), path.read_bytes()
    content = convert(model, Format.TFLITE).content
    assert content is not None
    assert operators(content) == operators(source)
    assert len(content) <= len(source) + LARGER
    samples = random_samples(arguments(model.module, model.input_names), 3, 0)
    tasks = [wire.Message({"resolver": r}, (), file, tuple(samples)) for r in Resolver for file in (content, source)]
    answers = child.run_tasks(EngineName.LITERT, tasks)
    for found, expected in zip(answers[::2], answers[1::2], strict=True):
        assert not isinstance(found, EngineError), found
        assert not isinstance(expected, EngineError), expected
        for ours, theirs in zip(found.samples, expected.samples, strict=True):
            for a, b in zip(ours.values(), theirs.values(), strict=True):
                np.testing.assert_array_equal(a, b, strict=True)
