"""The wire format of protobuf: heads of fields whose content is too large for protobuf's own classes.

Source: protobuf's guide "Encoding".
"""

from __future__ import annotations

BYTES = 2
"""The wire type of a field with a length: a message, a string or bytes."""


def field_head(number: int, size: int) -> bytes:
    """Return the bytes in front of the ``size`` bytes of a field."""
    return varint(number << 3 | BYTES) + varint(size)


def varint(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
