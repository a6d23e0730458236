"""The HTML page of a report as text: complete, self-contained, and every name escaped."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from qconvert.validation.rendering.page import html, several_html
from qconvert.validation.rendering.page.content import Mismatch
from qconvert.validation.rendering.page.validated import content
from qconvert.validation.rendering.rows import summary
from tests.support.pages import SCRIPT, Page
from tests.support.paths import ROOT
from tests.support.reports import report_of


def test_names_are_text() -> None:
    report = report_of([f"{SCRIPT}{i}" for i in range(6)])
    page = Page(html(report))
    assert page.found.count("script") == 3  # the data, the library and the page's own
    assert "img" not in page.found
    [data] = [text for text in page.texts if text.startswith("[{")]
    assert [layer["node"] for layer in json.loads(data)] == [layer.node for layer in report.layers]
    assert report.layers[0].node in page.texts
    assert all(failure in page.texts for failure in report.failures)
    assert "img" not in Page(report._repr_html_()).found


def test_a_page_needs_no_network() -> None:
    text = html(report_of(["a", "b"]))
    assert Page(text).loaded == set()
    assert re.findall(r"@import|url\(|<link\b", text) == []
    assert set(re.findall(r'\bhref="([^"]*)"', text)) == {"#r0-l0", "#r0-l1"}


def test_what_makes_the_report_again() -> None:
    page = Page(html(report_of(["a", "b"])))
    for text in (
        "qconvert validate folder/model.onnx --seed 7",
        "7",
        "onnxruntime 1.31.1, graph optimisation disabled",
        "ab" * 32,
    ):
        assert text in page.texts


def test_a_report_without_details_has_no_drawing() -> None:
    page = Page(html(report_of(["a", "b"], details=False)))
    assert page.texts.count("a") == 1
    assert "network" not in html(report_of(["a", "b"], details=False)).partition("</style>")[2].partition("<script>")[0]


@pytest.mark.slow
def test_a_thousand_layers() -> None:
    text = html(report_of([f"block{i // 10}/unit{i}/convolution" for i in range(1000)]))
    assert len(text) < 10 << 20
    assert text.count('<a class="node') == 1000
    assert text.count("<tr class=") == 1000


def test_several_reports_are_folded() -> None:
    reports = [report_of(["a", "b"]), report_of(["c"])]
    page = Page(several_html(reports))
    assert "2 models, 1 failed" not in page.texts
    assert f"2 models, {sum(not report.passed for report in reports)} failed" in page.texts
    assert page.found.count("main") == page.found.count("h1") == 2
    assert re.findall(r'<tr class=(\w+)><td><a href="#(\w+)" data-opens=(\w+)>', several_html(reports)) == [
        ("passed", f"model{i}", f"model{i}") for i in range(2)
    ]


def test_a_notebook_gets_no_script() -> None:
    page = Page(report_of(["a", "b"])._repr_html_())
    assert "script" not in page.found
    assert summary(report_of(["a", "b"])) in page.texts
    assert page.texts.count("a") == 1


@pytest.mark.parametrize("name", ["panzoom"])
def test_a_library_has_its_version_and_licence(name: str) -> None:
    folder = ROOT / "qconvert/validation/rendering/page/vendor"
    [version] = re.findall(rf"(?i)\b{name} (\d+\.\d+\.\d+)", (folder / f"{name}.min.js").read_text())
    assert f"{name.title()} {version}" in (ROOT / "NOTICE").read_text()
    assert "Permission is hereby granted" in (folder / f"{name}.LICENSE").read_text()


def test_a_class_is_what_the_layer_does_alone() -> None:
    report = report_of(["a", "b", "c", "d", "e"])
    ties = replace(report.layers[1], exact=0.9)
    named = (*report.failures, "the first value that departs is 'a_q', of layer 'a'")
    found = content(replace(report, layers=(report.layers[0], ties, *report.layers[2:]), failures=named))
    assert found.drawing is not None
    styles = [layer.style for layer in found.drawing.nodes]
    assert styles == [Mismatch.EQUAL, Mismatch.TIES, Mismatch.WITHIN, Mismatch.EQUAL, Mismatch.FAILED]
    assert found.marked == {"e_q": "worst"}


def test_a_page_without_details_has_all_columns() -> None:
    [head] = re.findall(r"<thead>.*?</thead>", html(report_of(["a", "b"], details=False)))
    assert ">elements<" in head
    [head] = re.findall(r"<thead>.*?</thead>", html(report_of(["a", "b"])))
    assert ">elements<" not in head
