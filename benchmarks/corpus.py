"""StableHLO's own quantized test programs, read and evaluated one after the other, beside jaxlib in one process."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import Row, best
from qconvert.engines.wire import Message
from qconvert.frontends.mlir import load_text, sections
from qconvert.interpreter import evaluate

_CALLS = re.compile(r"stablehlo\.custom_call @check\.eq\(.*$", re.MULTILINE)
_CHECKS = re.compile(r"^.*check\.expect.*\n", re.MULTILINE)
_PASSED = "stablehlo.constant dense<true> : tensor<i1>"
_NAME = re.compile(r"func\.func (?:public )?@\w+")


def corpus_rows() -> list[Row]:
    """Nothing without jaxlib, or where STABLEHLO_CHECKOUT names no checkout of openxla/stablehlo."""
    checkout = os.environ.get("STABLEHLO_CHECKOUT")
    if checkout is None or find_spec("jaxlib") is None:
        return []
    texts = _programs(Path(checkout) / "stablehlo")
    return [_whole_row(texts), _evaluation_row(texts)]


def _whole_row(texts: list[str]) -> Row:
    """Reading, verifying and evaluating, each program in a context of its own on both sides."""
    from qconvert.engines.workers.stablehlo import serve

    tasks = _tasks(texts)
    ours = best(lambda: [evaluate(load_text(text, "bench.mlir"), ()) for text in texts])
    theirs = best(lambda: [serve(task) for task in tasks])
    return Row(f"read and evaluate {len(texts)} programs of StableHLO", ours, "jaxlib", theirs)


def _evaluation_row(texts: list[str]) -> Row:
    """Evaluating alone beside jaxlib with one context for all, which reads them in a fifteenth of its time."""
    from qconvert.engines.workers.stablehlo import serve_all

    tasks, modules = _tasks(texts), [load_text(text, "bench.mlir") for text in texts]
    ours = best(lambda: [evaluate(module, ()) for module in modules])
    theirs = best(lambda: serve_all(tasks))
    return Row("evaluate them", ours, "jaxlib, one context", theirs)


def _tasks(texts: list[str]) -> list[Message]:
    return [Message({"action": "run"}, blob=text.encode(), samples=({},)) for text in texts]


def _programs(folder: Path) -> list[str]:
    """Every quantized module with its one function as @main, without its checks, which jaxlib cannot evaluate."""
    files = [*sorted((folder / "testdata" / "quantized").glob("*.mlir")), folder / "tests/interpret/quantized_ops.mlir"]
    modules = [section for file in files for section in sections(file.read_text()) if "!quant." in section]
    return [_NAME.sub("func.func @main", _CHECKS.sub("", _CALLS.sub(_PASSED, text))) for text in modules]
