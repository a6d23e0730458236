"""Reports with layers that were never run, for what shows reports."""

from __future__ import annotations

from qconvert.validation import LayerReport, OutputReport, Report
from qconvert.validation.figures.details import (
    Bar,
    Details,
    Distances,
    Element,
    Histogram,
    LayerDetails,
    Node,
    Point,
    Port,
    Role,
)
from qconvert.validation.figures.places import Dimension, Group
from qconvert.validation.figures.report import Engine, ModelFile

_EXACT = (1.0, 1.0, 0.9995, 1.0, 0.75)
"""The shares of equal elements of five layers, again and again."""

_LEAST = 0.8
"""The share of equal elements that a layer needs."""


def report_of(names: list[str], *, details: bool = True) -> Report:
    """Return a report of a chain of layers; every fifth fails, every third takes the third before it as well."""
    layers = [_layer(i, names) for i in range(len(names))]
    failed = [f"layer '{layer.node}' ({layer.op}): too much differs" for layer in layers if not layer.passed]
    return Report(
        schema=2,
        qconvert="0.1.0",
        model=ModelFile("folder/model.onnx", "ab" * 32),
        reference=Engine("onnxruntime", "1.31.1", "disabled"),
        engine=Engine("reference", "0.1.0"),
        to="tosa",
        samples=2,
        seed=7,
        limits={},
        outputs=(OutputReport(f"{names[-1]}_out", "float32", 0.5, 3, 0.1, 30.0, None, 1.0),),
        layers=tuple(layers),
        passed=not failed,
        failures=tuple(failed),
        details=_details(layers) if details else None,
    )


def _layer(i: int, names: list[str]) -> LayerReport:
    inputs = [_tensor(i - 1, names), *([_tensor(i - 3, names)] if i % 3 == 0 and i > 3 else [])]
    exact, op = _EXACT[i % len(_EXACT)], ("Conv", "Add")[i % 2]
    family = ("contraction", "elementwise")[i % 2]
    return LayerReport(
        names[i],
        (names[i],),
        op,
        family,
        _tensor(i, names),
        exact,
        exact,
        round(4 * (1 - exact) + 0.4),
        1000 + i,
        i % 7,
        tuple(inputs),
        passed=exact >= _LEAST,
    )


def _tensor(i: int, names: list[str]) -> str:
    return f"{names[i]}_q" if i >= 0 else "image"


def _details(layers: list[LayerReport]) -> Details:
    found = [
        LayerDetails(
            layer.tensor,
            layer.node,
            layer.op,
            layer.inputs,
            (Node(layer.node, layer.op),),
            (Port(Role.RESULT, layer.tensor, "i8", (1, 8), (0.5, 0.5), (0, 0), 1),),
            Distances(
                (Bar(0, 0, 900, 3), Bar(1, 1, 100, 4), Bar(9, 16, 1, 0)),
                tuple(Point(i, i + (i % 9 == 0), 5, 5 * (i % 9 == 0)) for i in range(-120, 120)),
                1,
                (Element(1, (0, 3), 4, 16, False),),
                dimensions=(Dimension(1, 8, 1, (Group(3, 101, 4, 12),)),),
                integers=(Histogram(-128, 2, (5, 0, 7)), Histogram(-126, 2, (7, 5))),
            ),
            channels=1,
        )
        for layer in layers
    ]
    return Details(tuple(found), {"out": (layers[-1].tensor,)}, "qconvert validate folder/model.onnx --seed 7")
