"""The wheel and the source distribution: built, checked by twine and check-wheel-contents, complete."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from qconvert import __version__
from tests.support.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("distribution")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _run("build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


def _run(module: str, *arguments: object) -> str:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_checks_of_twine_and_check_wheel_contents(built: Path) -> None:
    files = sorted(built.iterdir())
    assert [path.name.removeprefix(f"qconvert-{__version__}") for path in files] == ["-py3-none-any.whl", ".tar.gz"]
    assert _run("twine", "--no-color", "check", "--strict", *files).count("PASSED") == 2
    _run("check_wheel_contents", files[0])


def test_the_wheel_holds_the_package_and_its_licences(built: Path) -> None:
    [path] = built.glob("*.whl")
    with ZipFile(path) as wheel:
        names = set(wheel.namelist())
        for name in ("LICENSE", "NOTICE"):
            assert wheel.read(f"qconvert-{__version__}.dist-info/licenses/{name}") == (ROOT / name).read_bytes()
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "qconvert").rglob("*.py")}
    assert {"qconvert/py.typed", *sources} <= names


def test_the_source_distribution_holds_what_the_tests_need(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"NOTICE", "Makefile", "constraints.txt", "tests/conftest.py", "fixtures/digits_cnn_int8.onnx"} <= names
    assert not [name for name in names if name.startswith((".ci", ".import_linter_cache", "build/"))]


def test_the_container_copies_what_the_wheel_is_built_from(built: Path, tmp_path: Path) -> None:
    copied = [
        line.split()[1:-1] for line in (ROOT / "Containerfile").read_text().splitlines() if line.startswith("COPY")
    ]
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    for name in (name for names in copied for name in names):
        assert f"!{name}" in kept
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, tmp_path / name)
    _run("build", "--no-isolation", "--wheel", "--outdir", tmp_path / "dist", tmp_path)
    [here], [there] = ((ZipFile(path) for path in folder.glob("*.whl")) for folder in (tmp_path / "dist", built))
    assert sorted(here.namelist()) == sorted(there.namelist())
