"""The description of the NPUs, and the option that gives one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, EVERY_NPU, NPUS, Npu
from qconvert.backends.tosa.accelerator import ANY_HARDWARE
from qconvert.backends.tosa.options import TosaOptions
from qconvert.dialects import tosa
from qconvert.engines import tosa as tosa_tools
from qconvert.engines.vela import Compiled, Vela
from qconvert.support.errors import UsageError


@pytest.mark.parametrize("name", NPUS)
def test_an_npu_is_found_by_its_name_and_by_each_configuration(name: str) -> None:
    npu = find_npu(name)
    assert npu == NPUS[name]
    assert npu.is_processor
    assert npu.size in npu.sizes
    for size in npu.sizes:
        assert find_npu(f"{name}-{size}").config == f"{name}-{size}"


def test_another_name_is_refused_with_all_names() -> None:
    with pytest.raises(UsageError, match=r"no NPU 'ethos-u85-64'; there are ethos-u, ethos-u55, ethos-u55-32, "):
        find_npu("ethos-u85-64")


def test_no_npu_is_the_default() -> None:
    assert TosaOptions().npu is ANY_HARDWARE
    assert not (*ANY_HARDWARE.forms(nhwc_io=True), *ANY_HARDWARE.last_forms())


def test_all_npus_together_take_what_each_takes() -> None:
    assert find_npu("ethos-u") == EVERY_NPU
    assert not find_npu("ethos-u").is_processor
    for npu in NPUS.values():
        assert npu.lacks <= EVERY_NPU.lacks
    assert EVERY_NPU.has(tosa.AddOp)
    assert Npu("ethos-u", 128, (256,), ETHOS_U55.lacks, interpolates=True) == EVERY_NPU


def test_lacking_ops_are_names_of_the_dialect() -> None:
    names = {kind.name for kind in vars(tosa).values() if isinstance(kind, type) and hasattr(kind, "name")}
    assert EVERY_NPU.lacks <= names


def test_ops_and_kernels() -> None:
    assert ETHOS_U85.has(tosa.GatherOp)
    assert not ETHOS_U55.has(tosa.GatherOp)
    assert ETHOS_U55.fits(64, 64)
    assert not ETHOS_U55.fits(65, 1)
    assert not ETHOS_U55.fits(64, 65)


WORDS, BITS, FEWER = "tensor<1x4x4x2xi32>", "tensor<1x4x4x2xi1>", "tensor<1x1x4x2xi1>"
ROWS, ROW, POSITIONS = "tensor<1x8x4xi32>", "tensor<1x3x4xi32>", "tensor<1x3xi32>"
OPS = {
    **dict.fromkeys(
        ("bitwise_and", "bitwise_or", "bitwise_xor", "logical_right_shift", "intdiv"), ((WORDS, WORDS), WORDS, "")
    ),
    "bitwise_not": ((WORDS,), WORDS, ""),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ((BITS, BITS), BITS, "")),
    "logical_not": ((BITS,), BITS, ""),
    **dict.fromkeys(("equal", "greater", "greater_equal"), ((WORDS, WORDS), BITS, "")),
    **dict.fromkeys(("reduce_all", "reduce_any"), ((BITS,), FEWER, "{axis = 1 : i32}")),
    "select": ((BITS, WORDS, WORDS), WORDS, ""),
    "gather": ((ROWS, POSITIONS), ROW, ""),
    "scatter": ((ROWS, POSITIONS, ROW), ROWS, ""),
}
"""The types of operands, the type of the result and the attributes of each op that a processor lacks."""


def _of_one_op(name: str) -> bytes:
    operands, result, attributes = OPS[name]
    arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(operands))
    values = ", ".join(f"%{i}" for i in range(len(operands)))
    op = f'"tosa.{name}"({values}) {attributes} : ({", ".join(operands)}) -> {result}'
    return tosa_tools.serialize(f"func.func @main({arguments}) -> {result} {{\n%r = {op}\nreturn %r : {result}\n}}")


@pytest.fixture(scope="module")
def compilers() -> Iterator[dict[str, Vela]]:
    found = {name: Vela(npu.config) for name, npu in NPUS.items()}
    yield found
    for vela in found.values():
        vela.__exit__(None, None, None)


@pytest.mark.npu
@pytest.mark.tosa
@pytest.mark.parametrize("name", sorted(EVERY_NPU.lacks))
def test_vela_refuses_what_a_processor_lacks(name: str, compilers: dict[str, Vela]) -> None:
    flatbuffer = _of_one_op(name.removeprefix("tosa."))
    compiled = {npu: isinstance(vela.compile(flatbuffer), Compiled) for npu, vela in compilers.items()}
    assert compiled == {npu: name not in NPUS[npu].lacks for npu in NPUS}
