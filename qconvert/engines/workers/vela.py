"""Inside the child: compile a TOSA flatbuffer with Vela, and read the tables that Vela writes about it."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from pathlib import Path

from ethosu.vela import vela

from qconvert.engines.wire import Message

_TABLE = re.compile(r'<table name="(\w+)">\s*<!\[CDATA\[\n(.*?)\]\]>', re.DOTALL)
_TABLES = ("perf", "source")


def serve(message: Message) -> Message:
    """Return the compiled file with Vela's summary, and with its tables if the task has the option ``tables``.

    The option ``refused`` of the answer has the reason of a refusal.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "model.tosa"
        model.write_bytes(message.blob)
        try:
            vela.main(
                [
                    str(model),
                    "--enable-debug-db",
                    "--accelerator-config",
                    message.options["config"],
                    "--output-dir",
                    name,
                ]
            )
        except (RuntimeError, ValueError, IndexError) as error:  # the exceptions that C++ code raises through pybind11
            return Message({"refused": " ".join(str(error).split())})
        tables = _tables(folder) if "tables" in message.options else {}
        return Message({"summary": _summary(folder), **tables}, blob=(folder / "model_vela.tflite").read_bytes())


def _summary(folder: Path) -> str:
    """Return Vela's summary, an object of JSON."""
    [path] = folder.glob("model_summary_*.csv")
    [row] = csv.DictReader(path.read_text().splitlines())
    return json.dumps(row)


def _tables(folder: Path) -> dict[str, str]:
    """Return Vela's tables of operations, lists of objects in JSON; names in them must need no escapes of CSV."""
    found = dict(_TABLE.findall((folder / "model_debug.xml").read_text()))
    return {name: json.dumps(list(csv.DictReader(found.get(name, "").splitlines()))) for name in _TABLES}
