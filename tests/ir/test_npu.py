"""The description of the NPUs, and the option that gives one."""

from __future__ import annotations

import pytest

from qconvert.backends.tosa.options import TosaOptions
from qconvert.dialects import tosa
from qconvert.ir import ETHOS_U55, ETHOS_U85, EVERY_NPU, NPUS, find_npu
from qconvert.support.errors import UsageError


@pytest.mark.parametrize("name", NPUS)
def test_an_npu_is_found_by_its_name_and_by_each_configuration(name: str) -> None:
    npu = find_npu(name)
    assert npu == NPUS[name]
    assert npu.size in npu.sizes
    for size in npu.sizes:
        assert find_npu(f"{name}-{size}").config == f"{name}-{size}"


def test_another_name_is_refused_with_all_names() -> None:
    with pytest.raises(UsageError, match=r"no NPU 'ethos-u85-64'; there are .*ethos-u55-32\|64\|128\|256"):
        find_npu("ethos-u85-64")


def test_the_default_takes_what_every_npu_takes() -> None:
    assert TosaOptions().npu is EVERY_NPU
    for npu in NPUS.values():
        assert npu.lacks <= EVERY_NPU.lacks
    assert EVERY_NPU.has(tosa.AddOp)


def test_lacking_ops_are_names_of_the_dialect() -> None:
    names = {kind.name for kind in vars(tosa).values() if isinstance(kind, type) and hasattr(kind, "name")}
    assert EVERY_NPU.lacks <= names


def test_ops_and_kernels() -> None:
    assert ETHOS_U85.has(tosa.GatherOp)
    assert not ETHOS_U55.has(tosa.GatherOp)
    assert ETHOS_U55.fits(64, 64)
    assert not ETHOS_U55.fits(65, 1)
    assert not ETHOS_U55.fits(64, 65)
