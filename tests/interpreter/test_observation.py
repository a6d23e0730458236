"""Trial runs: which ranges are seen under which key, and statistics materialized from them."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert.dialects.quant_ops import StatisticsOp
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter.observation import ObservedRange, observe_ranges
from qconvert.passes.casts.materialize_stats import MaterializeStats
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import ConversionError

TEXT = """
!q = tensor<2x3x2x!quant.uniform<i8:f32, 0.5:3>>
func.func @main(%x: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
  %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %1 = stablehlo.negate %0 : tensor<2x3x2xf32>
  %2 = "quant.stats_ref"(%1) {statsKey = "-x"} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %3 = quant.qcast %1 : tensor<2x3x2xf32> to !q
  %4 = "quant.stats_ref"(%3) {statsKey = "q"} : (!q) -> !q
  %5 = "quant.stats_ref"(%x) {statsKey = "both"} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %6 = "quant.stats_ref"(%1) {statsKey = "both"} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %2 : tensor<2x3x2xf32>
}
"""
SAMPLE = np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 4


def test_ranges_are_those_of_all_samples_and_all_uses_of_a_key() -> None:
    found = observe_ranges(parse_module(TEXT), [[SAMPLE], [SAMPLE - 1]])
    assert found == {
        "x": ObservedRange(-1.0, 2.75),
        "-x": ObservedRange(-2.75, 1.0),
        "q": ObservedRange(-3.0, 1.0),  # 2.75 is half-way between two steps of 0.5
        "both": ObservedRange(-2.75, 2.75),
    }


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slices_are_the_elements_from_an_axis_on(axis: int) -> None:
    found = observe_ranges(parse_module(TEXT), [[SAMPLE], [-SAMPLE]], {"x": axis})
    both = np.concatenate([SAMPLE, -SAMPLE]).reshape(-1, *SAMPLE.shape[axis:])
    slices = zip(both.min(axis=0).ravel().tolist(), both.max(axis=0).ravel().tolist(), strict=True)
    assert found["x"] == ObservedRange(-2.75, 2.75, axis, tuple(slices))
    assert found["-x"].axis is None


def test_what_was_seen_becomes_statistics_that_verify() -> None:
    module = parse_module(TEXT)
    ranges = observe_ranges(module, [[SAMPLE]], {"x": 1, "q": 2})
    (result,) = run_passes(module, [MaterializeStats(ranges)])
    assert not result.refusals
    stats = [op for op in module.walk() if isinstance(op, StatisticsOp)]
    assert [op.layer.array.tolist() for op in stats] == [[0, 2.75], [-2.75, 0], [-3, 0], [-2.75, 2.75], [-2.75, 2.75]]
    assert stats[0].slices is not None
    np.testing.assert_array_equal(stats[0].slices.array, np.stack([SAMPLE[0].ravel(), SAMPLE[1].ravel()], axis=1))


def test_coupled_values_have_the_range_of_all() -> None:
    text = """
    func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "quant.stats_ref"(%a) {statsKey = "a"} : (tensor<2xf32>) -> tensor<2xf32>
      %1 = "quant.coupled_ref"(%0) {coupledKey = "state"} : (tensor<2xf32>) -> tensor<2xf32>
      %2 = "quant.stats_ref"(%b) {statsKey = "b"} : (tensor<2xf32>) -> tensor<2xf32>
      %3 = "quant.coupled_ref"(%2) {coupledKey = "KEY"} : (tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }"""
    samples = [[np.array([-1, 0], np.float32), np.array([0, 5], np.float32)]]
    for key, expected in (("state", [[-1, 5], [-1, 5]]), ("other", [[-1, 0], [0, 5]])):
        module = parse_module(text.replace("KEY", key))
        run_passes(module, [MaterializeStats(observe_ranges(module, samples))])
        assert [op.layer.array.tolist() for op in module.walk() if isinstance(op, StatisticsOp)] == expected


def test_slices_of_coupled_keys_must_be_the_same() -> None:
    text = """
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = "quant.stats_ref"(%x) {statsKey = "a"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %1 = "quant.coupled_ref"(%0) {coupledKey = "k"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %2 = "quant.stats_ref"(%1) {statsKey = "b"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %2 : tensor<2x3xf32>
    }"""
    module = parse_module(text)
    ranges = observe_ranges(module, [[SAMPLE[:, :, 0]]], {"a": 0, "b": 1})
    result = MaterializeStats(ranges).apply(module)
    assert not result.changed
    assert [refusal.reason for refusal in result.refusals] == [
        "key 'a': cannot merge ranges of 6 slices at axis 0 and 3 slices at axis 1",
        "key 'b': cannot merge ranges of 3 slices at axis 1 and 6 slices at axis 0",
    ]


def test_an_empty_tensor_has_no_range() -> None:
    text = """
    func.func @main(%x: tensor<0xf32>) -> tensor<0xf32> {
      %0 = "quant.stats_ref"(%x) {statsKey = "x"} : (tensor<0xf32>) -> tensor<0xf32>
      return %0 : tensor<0xf32>
    }"""
    assert observe_ranges(parse_module(text), [[np.zeros(0, np.float32)]]) == {}


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_values_must_be_finite(value: float) -> None:
    with pytest.raises(ConversionError, match="key 'x': a value is infinite or not a number"):
        observe_ranges(parse_module(TEXT), [[np.full_like(SAMPLE, value)]])


def test_an_axis_must_be_there() -> None:
    with pytest.raises(ConversionError, match="key 'x': axis 3 is out of range for rank 3"):
        observe_ranges(parse_module(TEXT), [[SAMPLE]], {"x": 3})
