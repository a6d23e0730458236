"""The sentence that concludes a report, in every form of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qconvert.validation import LayerReport, Report
from qconvert.validation.causes import Cause, Pattern
from qconvert.validation.figures.report import ValueReport, WholeOutput
from qconvert.validation.rendering.conclusion import conclusion, percent, verdict_line
from qconvert.validation.rendering.github import markdown, workflow_commands
from qconvert.validation.rendering.page import html, several_html
from qconvert.validation.rendering.rows import model_row
from tests.support.reports import report_of


def passed(exact: float, optimised: float | None, layers: tuple[LayerReport, ...] = ()) -> Report:
    """Return a report that passed, whose output has these shares."""
    report = report_of(["a", "b"])
    output = replace(report.outputs[0], exact=exact, exact_reference_optimised=optimised)
    return replace(report, outputs=(output,), layers=layers or report.layers, passed=True, failures=())


def test_a_network_that_differs_as_its_reference_does() -> None:
    report = passed(0.2145, 0.18)
    as_far = "as far as optimised onnxruntime is from its own reference (18%)"
    assert verdict_line(report) == f"passed: each layer equal; the whole 21% equal, {as_far}"
    closer = "closer than optimised onnxruntime is to its own reference (18%)"
    assert conclusion(passed(0.75, 0.18)) == f"each layer equal; the whole 75% equal, {closer}"


def test_a_network_whose_reference_differs_less() -> None:
    whole = WholeOutput("b_out", 0.785, 0.88, 30.0, 20.0, 0.1, 0.2, 0, passed=True)
    report = replace(passed(0.2145, 0.99), whole=(whole,))
    assert conclusion(report) == "each layer equal; the whole 21% equal, roundings inside explain as little as 12%"
    assert conclusion(passed(0.2145, None)) == "each layer equal; the whole 21% equal"


def test_an_equal_network() -> None:
    assert conclusion(passed(1.0, 0.5)) == "each layer equal; the whole equal"


def test_layers_that_differ_and_may() -> None:
    one, two = report_of(["a", "b"]).layers
    ties = replace(one, exact=0.9)
    assert conclusion(passed(1.0, 1.0, (ties, two))) == "each layer equal but for ties; the whole equal"
    few = replace(one, exact=0.9, exact_non_ties=0.99999)
    told = "1 of 2 layers equal, the others within their limits; the whole equal"
    assert conclusion(passed(1.0, 1.0, (few, two))) == told


def test_the_first_layer_of_a_failed_network_is_named() -> None:
    report = report_of([f"unit{i}" for i in range(10)])
    bad = replace(report.layers[9], exact_non_ties=0.5, max_lsb=77)
    report = replace(report, layers=(*report.layers[:9], bad))
    told = "2 of 10 layers are wrong alone, the first is 'unit4' (Conv), 25% of its elements differ, by up to 1 LSB"
    assert verdict_line(report) == f"failed: {told}; the whole 50% equal"
    alone = replace(report, layers=report.layers[:5])
    assert "1 of 5 layers is wrong alone: 'unit4' (Conv), 25% of its elements" in conclusion(alone)
    named = replace(report.layers[4], cause=Cause(Pattern.CHANNEL, "9 elements differ, all in channel 2", 9, (2,)))
    assert "'unit4' (Conv), 9 elements differ, all in channel 2" in conclusion(replace(alone, layers=(named,)))
    assert verdict_line(replace(alone, passed=True)).startswith("passed within the given limits: 1 of 5 layers")
    other = replace(report, layers=report.layers[:2])
    assert conclusion(other).startswith("each layer that was compared equal; ")


def test_a_network_of_floats() -> None:
    report = passed(0.3, 0.2)
    near = replace(report.outputs[0], max_rel=2e-7)
    report = replace(report, outputs=(near,), layers=(), values=(ValueReport("n", "Conv", "t", 0.5, 1.0, 3e-7, 9),))
    told = "nodes differ by at most 3.0e-07 of their largest value; the whole within 2.0e-07 of its largest value"
    assert conclusion(report) == told
    assert verdict_line(replace(report, outputs=(), values=())) == "passed"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.2145, "21%"),
        (1.0, "100%"),
        (0.0, "0%"),
        (0.9996, "99.96%"),
        (0.00004, "0.004%"),
        (1e-9, "less than 0.0001%"),
        (1 - 1e-9, "more than 99.9999%"),
    ],
)
def test_a_share_never_looks_like_another(share: float, text: str) -> None:
    assert percent(share) == text


def test_every_form_has_the_sentence() -> None:
    report = passed(0.2145, 0.18)
    told = conclusion(report)
    assert str(report).splitlines()[0] == verdict_line(report)
    assert model_row(report)[-1] == verdict_line(report)
    assert told in html(report)
    assert told in several_html([report])
    assert told.replace("%", "%25") in workflow_commands([report])[0]
    assert told in markdown([report])
