"""``inspect --html`` and ``--graph``: a page without a network, a drawing that is valid XML, names that are texts."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.commands import qconvert
from tests.support.pages import Page
from tests.support.paths import FIXTURES

SVG = "{http://www.w3.org/2000/svg}"
CNN = FIXTURES / "digits_cnn_int8.onnx"


@pytest.mark.slow
def test_the_page_and_the_drawing(tmp_path: Path) -> None:
    page, drawing = tmp_path / "model.html", tmp_path / "model.svg"
    qconvert("inspect", CNN, "--html", page, "--graph", drawing)
    text = page.read_text()
    assert "<dt>multiply-accumulates</dt><dd>109,824</dd>" in text
    assert "<td>tosa --profile int</td><td>converts; 0 ops in float in the file</td>" in text
    assert ">conv_1 (Conv)</a></td><td data-key=9216>9,216</td><td data-key=208>208</td>" in text
    assert not re.search(r"""src=|href=["']?[^"'#]""", text.partition("<script>")[0])
    linked, rows = (re.findall(pattern, text) for pattern in (r'<a class="node [^>]*#r0-l(\d+)"', r"id=r0-row(\d+)"))
    assert linked == rows == list(map(str, range(11)))
    root = ET.fromstring(drawing.read_text())
    boxes = root.findall(f"./{SVG}g/{SVG}g")
    titles = [box.find(f"{SVG}title").text for box in boxes]  # type: ignore[union-attr]
    assert (len(boxes), titles[0], titles[-1]) == (11 + 2, "image", "logits")
    assert "9,216 MACs, 208 bytes of weights" in str(titles[2])
    assert len(root.findall(f"./{SVG}g/{SVG}path")) == 13, "a chain of 13 boxes, and the way around conv_2 and conv_3"
    assert [box.get("class") for box in boxes].count("integer") == 11


def test_a_name_is_a_text(tmp_path: Path) -> None:
    model, page, drawing = (tmp_path / name for name in ("a.mlir", "a.html", "a.svg"))
    model.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        '  %0 = stablehlo.abs %x : tensor<4xf32> loc("<script>alert(1)</script>")\n'
        "  return %0 : tensor<4xf32>\n}"
    )
    qconvert("inspect", model, "--html", page, "--graph", drawing)
    for file in (page, drawing):
        assert "<script>alert" not in file.read_text()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in file.read_text()
    assert Page(page.read_text()).found.count("script") == 3  # the page's own two, and the data of its nodes
    assert "<script" not in drawing.read_text()


@pytest.mark.slow
def test_an_edge_around_nodes_is_inside_the_drawing(tmp_path: Path) -> None:
    """The edge around conv_2 and conv_3 leads right of all nodes."""
    drawing = tmp_path / "model.svg"
    qconvert("inspect", CNN, "--graph", drawing)
    root = ET.fromstring(drawing.read_text())
    paths = [path.get("d") or "" for path in root.findall(f"./{SVG}g/{SVG}path")]
    numbers = [[float(number) for number in re.findall(r"-?\d+", path)] for path in paths]
    assert max(max(path[0::2]) for path in numbers) + 20 <= float(root.get("width") or 0)
    assert max(max(path[1::2]) for path in numbers) + 20 <= float(root.get("height") or 0)
