"""JSON for reports: ASCII without control characters, so that it can be printed; names keep their characters."""

from __future__ import annotations

import json


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Return a value as JSON; raises ValueError for a float that is not finite, which JSON cannot express."""
    text = json.dumps(value, indent=indent, allow_nan=False)
    return text.replace("\x7f", "\\u007f")  # json escapes everything else
