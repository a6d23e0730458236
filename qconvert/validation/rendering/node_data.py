"""A report as node data of Model Explorer: a figure for each quantized tensor, by the tensor's name.

The form is that of ``GraphNodeData`` in the package ai-edge-model-explorer (``node_data_builder.py``): a file holds one
figure, and a node takes the figure of any of its outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from qconvert.support.files import make_folder, write_text
from qconvert.support.json_text import json_text
from qconvert.validation.figures.report import LayerReport, ReportFields

FIGURES: dict[str, tuple[str, Callable[[LayerReport], float]]] = {
    "mismatch": ("share of elements that differ", lambda layer: 1.0 - layer.exact),
    "max_lsb": ("largest difference in LSB", lambda layer: layer.max_lsb),
    "ties": ("share of exact ties", lambda layer: layer.ties / layer.elements if layer.elements else 0.0),
}
"""The figures, by the name of their file: a title, and the figure of a layer."""

_GRADIENT = ({"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#d7301f"})
"""From white for the least figure to red for the largest."""


def write_node_data(reports: Iterable[ReportFields], folder: Path) -> None:
    """Write a file for each model and figure into a folder, which is made: ``MODEL.mismatch.json`` and others.

    Raises UsageError if a file cannot be written.
    """
    make_folder(folder)
    for report in reports:
        for figure in FIGURES:
            write_text(folder / f"{Path(report.model.file).stem}.{figure}.json", node_data(report, figure) + "\n")


def node_data(report: ReportFields, figure: str) -> str:
    """Return one figure of all layers as JSON."""
    title, value = FIGURES[figure]
    return json_text(
        {
            "name": f"{title}, {report.model.file} as {report.to} on {report.engine.name}",
            "results": {layer.tensor: {"value": value(layer)} for layer in report.layers},
            "gradient": _GRADIENT,
        }
    )
