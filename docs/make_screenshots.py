"""Makes the screenshots of docs/report.md: ``python docs/make_screenshots.py``, with Chromium and Playwright.

A conversion that passed, one with a planted fault (the scale of one channel is 1.5 times too large), and the file of
another tool (onnxruntime's optimised model), each in a desktop's and a phone's window.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import qconvert
from qconvert.formats import Format
from qconvert.validation import Settings
from qconvert.validation.rendering.page import html
from tests.support.browser import DESKTOP, PHONE, launched, opened

FOLDER = Path(__file__).resolve().parent / "images"
FIXTURES = FOLDER.parents[1] / "fixtures"
MODEL, FILE = "digits_cnn_int8.onnx", Path("converted.onnx")
LAYER, CHANNEL, FACTOR = "conv_3", 5, 1.5
"""The planted fault: the layer, the channel of its weights, and the factor of the channel's scale."""

HEIGHTS = {DESKTOP: 1000, PHONE: 1100}
"""Heights of the windows by their widths, in CSS pixels."""

MOST_BYTES = 150_000


def passed() -> qconvert.Report:
    """Return the report on a conversion to TFLite."""
    return qconvert.validate(_model(), settings=Settings(Format.TFLITE, details=True))


def failed() -> qconvert.Report:
    """Return the report on a conversion to ONNX in which a fault is planted."""
    qconvert.save(qconvert.convert(_model(), Format.ONNX), FILE)
    model = onnx.ModelProto.FromString(FILE.read_bytes())
    makers = {name: node for node in model.graph.node for name in node.output}
    [node] = [node for node in model.graph.node if node.name == LAYER]
    [scales] = [each for each in model.graph.initializer if each.name == makers[node.input[1]].input[1]]
    array = numpy_helper.to_array(scales).copy()
    array[CHANNEL] *= np.float32(FACTOR)
    scales.CopyFrom(numpy_helper.from_array(array, scales.name))
    FILE.write_bytes(model.SerializeToString())
    return qconvert.validate(_model(), FILE, settings=Settings(details=True))


def foreign() -> qconvert.Report:
    """Return the report on the file that onnxruntime's optimiser writes of the model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = "optimised.onnx"
    onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    return qconvert.validate(_model(), qconvert.load("optimised.onnx", dims={"N": 1}), settings=Settings(details=True))


REPORTS: dict[str, tuple[Callable[[], qconvert.Report], str]] = {
    "passed": (passed, ".report"),
    "failed": (failed, ".explorer"),
    "foreign": (foreign, ".report"),
}
"""The reports, each with the part of its page at which the screenshot begins."""


def _model() -> qconvert.Model:
    return qconvert.load(MODEL, dims={"N": 1})


def main() -> None:
    """Write all screenshots; ends with an error for one that is too large for the repository."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name), launched() as browser:
        shutil.copy(FIXTURES / MODEL, MODEL)
        for kind, (report, part) in REPORTS.items():
            page = Path(f"{kind}.html")
            page.write_text(html(report()))
            for width, height in HEIGHTS.items():
                image = FOLDER / f"report-{kind}-{width}.png"
                with opened(browser, page, width, height=height) as found:
                    found.page.wait_for_selector(".details > *")
                    found.page.locator(part).evaluate("each => each.scrollIntoView({behavior: 'instant'})")
                    found.page.screenshot(path=image)
                assert not found.errors, found.errors
                assert image.stat().st_size <= MOST_BYTES, f"{image} is larger than {MOST_BYTES:,} bytes"


if __name__ == "__main__":
    main()
