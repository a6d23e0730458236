import subprocess
import sys
from importlib import metadata

import pytest

from qconvert.engines import iree, stablehlo
from qconvert.engines.base import Compiler, EngineName, engine_info, engine_infos, require
from qconvert.support.errors import EngineMissingError


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    def version(distribution: str) -> str:
        if distribution in missing:
            raise metadata.PackageNotFoundError(distribution)
        return "1.2.3"

    monkeypatch.setattr(metadata, "version", version)


def test_every_engine_is_listed_with_version_and_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jaxlib")
    infos = {info.name: info for info in engine_infos()}
    assert list(infos) == [*EngineName, *Compiler]
    assert infos[EngineName.IREE].version == "1.2.3"
    assert infos[EngineName.ONNXRUNTIME].extra is None
    assert infos[EngineName.STABLEHLO].version is None
    assert infos[EngineName.STABLEHLO].hint == "pip install 'qconvert[stablehlo]'"


def test_reference_engine_needs_no_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "qconvert")
    assert require(EngineName.REFERENCE).version == "source tree"


def test_an_engine_of_two_packages_needs_both(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "iree-base-runtime")
    assert engine_info(EngineName.IREE).version is None


def test_missing_engine_names_its_extra_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jaxlib", "iree-base-runtime")
    with pytest.raises(EngineMissingError) as stablehlo_error:
        stablehlo.verify("module {}")
    assert str(stablehlo_error.value) == (
        "the stablehlo engine is not installed (jaxlib is missing): pip install 'qconvert[stablehlo]'"
    )
    with pytest.raises(EngineMissingError, match=r"\(iree-base-runtime is missing\): pip install 'qconvert\[iree\]'"):
        iree.run_samples("module {}", [[]])


@pytest.mark.slow
def test_importing_the_engines_imports_no_runtime() -> None:
    code = (
        "import sys; from qconvert.engines import base; assert 'numpy' not in sys.modules;"
        "from qconvert.engines import iree, litert, onnxruntime, stablehlo;"
        "print(*sorted({'ai_edge_litert', 'iree', 'onnx', 'onnxruntime', 'jaxlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
