"""A module of qconvert with one change in its source, for the process that imports it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import NamedTuple


class Edit(NamedTuple):
    """A text that stands once in the source of a module, and the text in its place."""

    module: str
    before: str
    after: str


class _EditedLoader(SourceFileLoader):
    """Compiles a module's source with an edit; bytecode is neither read nor written."""

    def __init__(self, edit: Edit, path: str) -> None:
        super().__init__(edit.module, path)
        self._edit = edit

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_source(fullname) or ""
        assert source.count(self._edit.before) == 1, f"{self._edit.module} has not once: {self._edit.before}"
        return compile(source.replace(self._edit.before, self._edit.after), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, edit: Edit) -> None:
        self._edit = edit

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._edit.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        return importlib.util.spec_from_file_location(
            fullname,
            spec.origin,
            loader=_EditedLoader(self._edit, spec.origin),
            submodule_search_locations=spec.submodule_search_locations,
        )


def install(edit: Edit) -> None:
    """Let this process import the module with the edit; it must not have been imported yet."""
    assert edit.module not in sys.modules
    sys.meta_path.insert(0, _Finder(edit))
