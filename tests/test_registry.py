"""Registries import their own package, check signatures and refuse duplicates."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qconvert.support.registry import Registry

FILES = {
    "table.py": "from qconvert.support.registry import Registry\n"
    "TABLE = Registry('test', __name__, ('x',))\n"
    "INNER = Registry('inner', __name__, ('x',), 'inner')\n",
    "one.py": "from family.table import TABLE\n@TABLE.register('one')\ndef one(x): ...\n",
    "inner/__init__.py": "",
    "inner/two.py": "from family.table import INNER\n@INNER.register('two', 'three')\ndef two(x): ...\n",
}


def one(x: int) -> int:
    return x


def test_the_first_look_up_imports_every_module_of_the_package(tmp_path: Path) -> None:
    for name, text in {"__init__.py": "", **FILES}.items():
        path = tmp_path / "family" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = (
        f"import sys; sys.path[:0] = {[str(tmp_path), str(Path.cwd())]!r}\n"
        "from family.table import INNER, TABLE\n"
        "assert 'family.one' not in sys.modules\n"
        "print(sorted(TABLE), 'two' in TABLE, 'family.inner' in sys.modules, sorted(INNER))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['one'] False False ['three', 'two']"


def test_a_class_is_looked_up_in_the_module_of_its_family_first(tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    layer.mkdir()
    table = "from qconvert.support.registry import Registry\nTABLE = Registry('test', __name__, ('x',))\n"
    register = "from layer.table import TABLE\nimport {0}\n@TABLE.register({0}.{1})\ndef one(x): ...\n"
    files = {
        "table.py": table,
        "fractions.py": register.format("fractions", "Fraction"),
        "other.py": register.format("decimal", "Decimal"),
    }
    for name, text in files.items():
        (layer / name).write_text(text)
    script = (
        f"import sys; sys.path[:0] = {[str(tmp_path), str(Path.cwd())]!r}\n"
        "from layer.table import TABLE; from fractions import Fraction; from decimal import Decimal\n"
        "print(Fraction in TABLE, 'layer.other' in sys.modules, Decimal in TABLE, int in TABLE, len(TABLE))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True False True False 2"


def test_a_key_is_registered_once() -> None:
    table: Registry[str, Callable[[int], int]] = Registry("test", "tests.test_registry", ("x",))
    table.register("one")(one)
    with pytest.raises(TypeError, match="test: one is already registered"):
        table.register("one")(one)


def test_a_handler_of_another_signature_is_refused() -> None:
    table: Registry[str, Callable[[int], int]] = Registry("test", "tests.test_registry", ("op", "write"))
    with pytest.raises(TypeError, match=r"handler for one takes \('x',\), expected \('op', 'write'\)"):
        table.register("one")(one)
