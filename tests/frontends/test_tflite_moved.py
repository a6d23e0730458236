"""Results of TFLite's operators with another scale or zero point than their operands: LiteRT's numbers, or refused.

The result's reader, DEQUANTIZE, uses the result's own parameters. LiteRT moves the integers of some operators, rescales
those of others, and refuses the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tflite import BuiltinOperator as Code

from qconvert import Format
from qconvert.api import load
from qconvert.litert.kernels import READ
from qconvert.support.errors import ConversionError, EngineError
from tests.support.litert_reference import Judge
from tests.support.tflite_cases import Case, Graph, Node, Tensor, write
from tests.support.tflite_families import WITHOUT_STATE

pytestmark = pytest.mark.litert

CHANGES: dict[str, Callable[[Tensor], Tensor]] = {
    "smaller scale": lambda tensor: replace(tensor, scale=0.7 * tensor.scales[0]),
    "larger scale": lambda tensor: replace(tensor, scale=1.5 * tensor.scales[0]),
    "zero point": lambda tensor: replace(tensor, zero_point=tensor.zero_point - 5),
}
MOVING = {name for name, code in vars(Code).items() if code in READ and READ[code].moves} | {"PACK"}
REFUSED = {"CONCATENATION", "EXPAND_DIMS", "MIRROR_PAD", "PACK", "PADV2", "REDUCE_MAX", "REDUCE_MIN", "UNPACK"}
"""LiteRT refuses other parameters; CONCATENATION of int8 alone, PADV2 for those of the border."""
KEEPING = {"AVERAGE_POOL_2D", "MAX_POOL_2D", "MAXIMUM", "MINIMUM", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}
KEEPING |= {"SELECT", "SELECT_V2"}
"""LiteRT computes on the integers; files with other parameters are refused."""


class Read(Case):
    """An operator whose results are dequantized."""

    def model(self) -> bytes:
        given = {f"in{i}": tensor for i, tensor in enumerate(self.inputs) if tensor is not None}
        made = {f"out{i}": tensor for i, tensor in enumerate(self.outputs)}
        reals = {f"real{i}": Tensor(tensor.shape, kind="FLOAT32") for i, tensor in enumerate(self.outputs)}
        taken = [None if tensor is None else f"in{i}" for i, tensor in enumerate(self.inputs)]
        readers = [
            Node("DEQUANTIZE", [out], [real], "DequantizeOptions") for out, real in zip(made, reals, strict=True)
        ]
        nodes = [Node(self.op, taken, [*made], self.options, self.fields, self.version), *readers]
        return write(Graph({**given, **made, **reals}, nodes, [*self.fed], [*reals]))


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the first case of each operator and element type that moves integers, with each change of its results."""
    first: dict[tuple[str, str], Case] = {}
    for case in (case for family in WITHOUT_STATE for case in family.CASES.values()):
        if case.op in MOVING and case.outputs[0].scales:
            first.setdefault((case.op, case.outputs[0].kind), case)
    for (op, kind), case in first.items():
        for change, changed in CHANGES.items():
            if kind != "INT16" or change != "zero point":  # DEQUANTIZE takes no zero point of 16 bits
                outputs = [changed(tensor) for tensor in case.outputs]
                yield f"{op} {kind} {change}", Read(**{**vars(case), "outputs": outputs})


JUDGE = Judge(dict(cases()))
every_case = pytest.mark.parametrize("name", JUDGE.cases)


def is_moved(name: str) -> bool:
    """Return True for a case that is read; checks that each other one is refused by its node, as by LiteRT."""
    op, kind, *_ = name.split()
    if op in KEEPING or (op in REFUSED and not (op == "CONCATENATION" and kind != "INT8")):
        with pytest.raises(ConversionError, match=rf"node 'out\d' \({op}\)") as caught:
            load(JUDGE.cases[name].model())
        assert len(str(caught.value)) <= 300
        assert isinstance(JUDGE.references[name], EngineError) == (op in REFUSED)
        return False
    return True


def test_every_operator_that_moves_integers_has_a_case() -> None:
    assert {name.split()[0] for name in JUDGE.cases} == MOVING - {"REDUCE_MIN"}  # REDUCE_MAX has its importer


@every_case
def test_what_is_read_has_every_number_of_litert(name: str) -> None:
    if is_moved(name):
        JUDGE.check_interpreter(name)


@every_case
@pytest.mark.tosa
def test_tosa_has_every_number_of_litert(name: str) -> None:
    if is_moved(name):
        JUDGE.check_tosa(name)


@every_case
@pytest.mark.parametrize("to", [Format.STABLEHLO_INT, Format.TOSA_RESCALE, Format.STABLEHLO_QDQ, Format.ONNX])
def test_other_forms_have_every_number_of_litert(name: str, to: Format) -> None:
    if is_moved(name):
        JUDGE.check_integers(name, to)


@every_case
def test_a_file_written_again_has_every_number(name: str) -> None:
    if is_moved(name):
        JUDGE.check_written(name)
