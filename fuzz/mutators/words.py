"""The parts that mutations of texts share: decode a file, replace a match of a pattern, insert a long repetition."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from fuzz.mutators.raw import Mutation


def of_text(edit: Callable[[random.Random, str, str], str]) -> Mutation:
    """Return a mutation that edits a file's text once or twice; ``edit`` takes the text and the other file's text."""

    def mutate(rng: random.Random, data: bytes, other: bytes) -> bytes:
        text, second = data.decode(errors="replace"), other.decode(errors="replace")
        for _ in range(rng.choice((1, 1, 1, 2))):
            text = edit(rng, text, second)
        return text.encode(errors="replace")

    return mutate


def replaced(rng: random.Random, text: str, pattern: re.Pattern[str], choices: Sequence[str]) -> str:
    """Replace one match of the pattern by a choice or by another match."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    match, other = rng.choice(found), rng.choice(found)
    new = rng.choice((*choices, other[0], other[0]))
    return text[: match.start()] + new + text[match.end() :]


def repeated(rng: random.Random, text: str, piece: str) -> str:
    """Insert a bracket, a word or a line many times."""
    at, count = rng.randrange(len(text) + 1), rng.choice((3, 40, 1000, 20_000))
    return text[:at] + (piece * count)[:100_000] + text[at:]
