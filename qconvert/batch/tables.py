"""Tables of rows as files: Parquet, or JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
from pyarrow import parquet

from qconvert.batch.rows import TableFormat
from qconvert.support.files import write_text, write_whole
from qconvert.support.json_text import json_text

_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64()}


def write_table(kind: type[Any], rows: Iterable[Any], path: Path, form: TableFormat) -> None:
    """Write the rows of one dataclass, with one column for each field; the format's suffix is added to the path."""
    file, records = path.with_suffix(f".{form}"), [asdict(row) for row in rows]
    if form is TableFormat.JSON_LINES:
        write_text(file, "".join(f"{json_text(record, indent=None)}\n" for record in records))
        return
    table = pa.Table.from_pylist(records, schema=_schema(kind))
    write_whole(file, lambda stream: parquet.write_table(table, stream))


def _schema(kind: type[Any]) -> pa.Schema:
    """Return a column for each field; one whose type has None may be empty."""
    columns = []
    types = get_type_hints(kind)
    for field in fields(kind):
        declared = types[field.name]
        plain = next(each for each in _ARROW if declared in (each, each | None))
        columns.append(pa.field(field.name, _ARROW[plain], nullable=declared is not plain))
    return pa.schema(columns)
