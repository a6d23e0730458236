"""Every pass can be asked for by the name it has."""

from __future__ import annotations

import pytest

from qconvert.formats import FORMATS, Format
from qconvert.passes import PASSES, make_pass
from qconvert.support.errors import UsageError


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_is_made_by_its_name(name: str) -> None:
    assert make_pass(name).name == name


def test_the_default_pipelines_name_passes() -> None:
    for target in Format:
        assert set(FORMATS[target].passes) <= set(PASSES)


def test_an_unknown_pass_is_a_usage_error() -> None:
    with pytest.raises(
        UsageError, match="there is no pass 'fuse'; there are accumulate-normalizations, accumulate-reductions, bor"
    ):
        make_pass("fuse")


@pytest.mark.parametrize(
    "name", ["legalize-qdq-to-quantized-op", "legalize-quantized-op-to-qdq", "legalize-quant-to-math"]
)
def test_stablehlos_names_are_known(name: str) -> None:
    assert make_pass(f"stablehlo-{name}").name == name
