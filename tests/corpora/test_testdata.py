"""StableHLO's test data, the programs that JAX wrote for its own operators.

Each is read and verified as jaxlib's parser does. Those that jaxlib's interpreter evaluates are evaluated here; they
state the expected values as checks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from qconvert.engines import child, stablehlo, wire
from qconvert.engines.base import EngineName
from qconvert.engines.limits import Limits
from qconvert.formats import FORMATS, Format
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.mlir import load_text, sections
from qconvert.interpreter.program import evaluate_function
from qconvert.support.errors import ConversionError, EngineError

ROOT = os.environ.get("STABLEHLO_CHECKOUT")
FOLDER = Path(ROOT or "") / "stablehlo"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.slow,
    pytest.mark.skipif(ROOT is None, reason="STABLEHLO_CHECKOUT names no checkout of openxla/stablehlo"),
]

FILES, QUANTIZED = 2839, 127
"""The numbers of files of the test data, and of files about quantized types; one is among StableHLO's other tests."""

LEAST_SHARE = 0.98
"""The share of the files that jaxlib evaluates whose checks hold here."""

LIMITS = Limits(seconds=30)
SIZES = (4, 3, 5, 8, 2, 1)
"""Values tried for a file's variable sizes: the first one that fits all its ops."""

_CHECK_CALL = re.compile(r"^ *stablehlo\.custom_call @check\..*$", re.MULTILINE)
_CHECK_OP = re.compile(r"^ *\"?check\..*$", re.MULTILINE)
_LEFT_OUT = re.compile(r"// RUN-DISABLED")
_SIZE_ARGUMENTS = re.compile(r"(func\.func public @main\()((?:%arg\d+: tensor<i64>(?:, )?)+)(.*\{\n)")

REFUSED = {
    r"conv_general_dilated_1d_stride_2_(even|odd)_dynamic": "two strides for one dimension, against C2 of dynamic_conv",
    r"dynam(lic|ic)_slice(_t2)?$": "the size of a slice follows from data, not from sizes",
    r"rng_bit_generator_uint32_4": "bitcast_convert to elements of another width",
}
"""The files that jaxlib accepts and we refuse, as patterns of names, with the reasons."""

DIFFERENT = {
    r"(cosh|sinh|erf_inv)_float32_20_20_chlo": "functions of float32 are an ulp off, which the formula enlarges",
    r"cumsum_bfloat16_8_9": "a sum of bfloat16 is rounded once at its end, in StableHLO's interpreter at each step",
}
"""The files that jaxlib evaluates and we do not, or with other results, as patterns of names, with the reasons."""


class _OneSize(Dimensions):
    """The same size for every open dimension."""

    def __init__(self, value: int) -> None:
        super().__init__()
        self._value = value

    def size(self, name: str, axis: int, symbol: str = "") -> int:
        del name, axis, symbol
        return self._value


@dataclass(frozen=True)
class File:
    """A file: the modules between ``// -----`` lines that have functions."""

    name: str
    text: str

    @property
    def modules(self) -> list[str]:
        return [section for section in sections(self.text) if "func.func" in section]

    @property
    def known(self) -> list[str]:
        """The modules without the ops of the check dialect, which jaxlib lacks."""
        return [_CHECK_OP.sub("", module) for module in self.modules]

    @property
    def unchecked(self) -> str:
        """The file's module without the calls that check its results, which jaxlib does not evaluate."""
        return _CHECK_CALL.sub("", self.text)

    @property
    def is_left_out(self) -> bool:
        """True where StableHLO's own tests do not evaluate the file: its interpreter is inexact or lacks an op."""
        return _LEFT_OUT.search(self.text) is not None

    def refusal(self) -> str | None:
        """Return why we refuse the file, None where we do not. The sizes that it leaves open are tried."""
        reasons = []
        for size in SIZES if "?x" in self.text else SIZES[:1]:
            try:
                for module in self.modules:
                    _verify(_with_size(module, size), size)
            except ConversionError as error:
                reasons.append(str(error))
            else:
                return None
        return reasons[0]

    def failure(self) -> str | None:
        """Return what goes wrong when all functions are evaluated, or @main alone; None where nothing does."""
        try:
            for text in self.modules:
                module = load_text(text, self.name)
                functions = [op for op in module.ops if isinstance(op, FuncOp)]
                for function in [op for op in functions if op.sym_name.data == "main"] or functions:
                    evaluate_function(function, ())
        except ConversionError as error:
            return str(error)
        return None


def _verify(text: str, size: int) -> None:
    module = load_text(text, "f", _OneSize(size))
    for error in FORMATS[Format.STABLEHLO].errors(module):
        raise error


def _with_size(text: str, size: int) -> str:
    """Return a module whose size variables, leading scalars of @main, have a value, as JAX gives them to compile."""
    found = _SIZE_ARGUMENTS.search(text)
    if found is None:
        return text
    names = re.findall(r"%arg\d+", found[2])
    constants = "".join(f"    {name} = stablehlo.constant dense<{size}> : tensor<i64>\n" for name in names)
    return text[: found.start()] + found[1] + found[3] + constants + text[found.end() :]


def _files(folder: Path, pattern: str = "**/*.mlir") -> list[File]:
    return [File(path.stem, path.read_text()) for path in sorted(folder.glob(pattern))]


@pytest.fixture(scope="module")
def files() -> list[File]:
    return _files(FOLDER / "testdata")


def _listed(name: str, patterns: Iterable[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _reasons(files: Iterable[File], found: Callable[[File], str | None]) -> dict[str, str]:
    answers = ((file.name, found(file)) for file in files)
    return {name: answer for name, answer in answers if answer is not None}


def test_the_folder_is_the_one_that_is_known(files: list[File]) -> None:
    assert len(files) == FILES


def test_every_file_about_quantized_types_gives_what_stablehlo_gives() -> None:
    quantized = [*_files(FOLDER / "testdata" / "quantized"), *_files(FOLDER / "tests/interpret", "quantized_ops.mlir")]
    assert len(quantized) == QUANTIZED
    assert _reasons(quantized, File.failure) == {}


@pytest.mark.stablehlo
def test_every_file_is_accepted_as_jaxlib_accepts_it(files: list[File]) -> None:
    modules = [(file.name, module) for file in files for module in file.known]
    answers = stablehlo.verify_many((module for _, module in modules), limits=LIMITS)
    theirs = {name for (name, _), answer in zip(modules, answers, strict=True) if isinstance(answer, EngineError)}
    assert theirs == set()
    ours = _reasons(files, File.refusal)
    assert {name: why for name, why in ours.items() if not _listed(name, REFUSED)} == {}


def _evaluated(files: list[File]) -> list[File]:
    """Return the files that jaxlib's interpreter evaluates."""
    tasks = (wire.Message(blob=file.unchecked.encode()) for file in files)
    answers = child.run_tasks(EngineName.STABLEHLO, tasks, LIMITS, handler="tests.support.stablehlo_judge")
    return [file for file, answer in zip(files, answers, strict=True) if not isinstance(answer, EngineError)]


@pytest.mark.stablehlo
def test_files_that_jaxlib_evaluates_give_the_same() -> None:
    given = [file for file in _files(FOLDER / "testdata", "*.mlir") if not file.is_left_out]
    evaluated = _evaluated(given)
    assert len(evaluated) > 0.99 * len(given)
    failed = _reasons(evaluated, File.failure)
    assert 1 - len(failed) / len(evaluated) >= LEAST_SHARE
    assert {name: why for name, why in failed.items() if not _listed(name, DIFFERENT)} == {}
