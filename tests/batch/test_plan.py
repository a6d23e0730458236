"""Plans: what they mean, and the line and key of what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert.backends.tosa import TosaOptions
from qconvert.backends.tosa.options import HalfRounding
from qconvert.batch.plan import Inputs, read_plan
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.support.errors import UsageError
from qconvert.validation import Limits

SMALL = 'models = ["*.onnx"]\ntargets = ["tosa"]\n'

PLAN = """
models = ["nets/*.onnx"]
targets = ["tosa", "onnx"]
engines = ["reference", "onnxruntime"]
memory = "800M"
timeout = 60

[inputs]
file = "{model}.npz"
samples = 10
block = 4

[limits]
min_sqnr_db = 20

[options.tosa]
rounding = "half-even"
"quantized-io" = true

[dims]
N = 2
"""


def _plan(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return path


def test_a_plan(tmp_path: Path) -> None:
    plan = read_plan(_plan(tmp_path, PLAN))
    assert plan.pairs() == [
        (Format.TOSA, EngineName.REFERENCE),
        (Format.ONNX, EngineName.REFERENCE),
        (Format.ONNX, EngineName.ONNXRUNTIME),
    ]
    assert plan.memory_bytes == 800 << 20
    assert (plan.timeout, plan.limits, plan.dims) == (60.0, Limits(min_sqnr_db=20.0), {"N": 2})
    assert plan.inputs.ranges() == [(0, 4), (4, 4), (8, 2)]
    assert plan.written_with(Format.TOSA) == TosaOptions(rounding=HalfRounding.EVEN, quantized_io=True)
    assert plan.written_with(Format.ONNX).quantizes_edges is False


@pytest.mark.parametrize(
    ("inputs", "ranges"),
    [
        (Inputs(), [(0, 16)]),
        (Inputs(block=10), [(0, 10), (10, 6)]),
        (Inputs(samples=3, block=4), [(0, 3)]),
        (Inputs(file="a.npz"), [(0, None)]),
    ],
)
def test_ranges_of_samples(inputs: Inputs, ranges: list[tuple[int, int | None]]) -> None:
    assert inputs.ranges() == ranges


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"{SMALL}engine = 1\n", "3: engine: the key is unknown, perhaps 'engines' is meant; known are models, "),
        ('targets = ["tosa"]\n', ": models: this is missing"),
        ('models = []\ntargets = ["tosa"]', "1: models: the list is empty"),
        ('models = "a"\ntargets = ["tosa"]', "1: models: a list is needed, found 'a'"),
        (f"{SMALL}\n[inputs]\n\nblock = 0", "6: inputs.block: 0 is below 1"),
        (f'{SMALL}[inputs]\nfile = "a"\nblock = 2', "5: inputs.block: blocks of a file need inputs.samples"),
        (
            f"{SMALL}inputs = {{ sample = 2 }}",
            "3: inputs.sample: the key is unknown, perhaps 'samples' is meant; known",
        ),
        (f"{SMALL}[inputs]\nsamples = true", "4: inputs.samples: a whole number is needed, found True"),
        (f"{SMALL}[limits]\nmax_lsb = 0.5", "4: limits.max_lsb: a whole number is needed, found 0.5"),
        (f"{SMALL}[limits]\nmin_exact = nan", "3: limits: the limit min_exact is nan, it must be a finite number"),
        (
            f'{SMALL}[options.tosa]\nround = "up"',
            "4: options.tosa.round: tosa has no such option, perhaps 'rounding' is",
        ),
        (
            f'{SMALL}[options.tosa]\nrounding = "up"',
            "4: options.tosa.rounding: 'up' is unknown; known are half-up, half-",
        ),
        (
            f'{SMALL}[options.tosa]\nnpu = "u1"',
            "4: options.tosa.npu: there is no NPU 'u1'; there are ethos-u, ",
        ),
        (f"{SMALL}[options.coreml]", "3: options.coreml: 'coreml' is unknown; known are onnx"),
        (
            'models = ["a"]\ntargets = [\n"stable"]',
            "2: targets: 'stable' is unknown, perhaps 'stablehlo' is meant; known",
        ),
        (f'{SMALL}engines = ["iree", "onnxruntime"]', "3: engines: onnxruntime runs none of the targets"),
        ('models = ["a"]\ntargets = ["onnx", "tosa"]\nengines = ["tosa"]', "2: targets: none of the engines runs onnx"),
        (f'{SMALL}memory = "4"', "3: memory: '4' is not a size such as 4G or 800M"),
        (f"{SMALL}timeout = 0", "3: timeout: 0.0 is not above 0"),
        (f"{SMALL}dims.N = 0", "3: dims.N: 0 is below 1"),
        ("models = [", ": this is not valid TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, error: str, tmp_path: Path) -> None:
    path = _plan(tmp_path, text)
    with pytest.raises(UsageError) as found:
        read_plan(path)
    message = str(found.value)
    assert message.startswith(f"{path}:")
    assert message.removeprefix(f"{path}:").startswith(error.removeprefix(":"))
