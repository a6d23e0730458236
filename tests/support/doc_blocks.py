"""The code blocks of the documentation's pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<head>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


_NOTE = re.compile("note: ")
_STEP = re.compile(r"([\d,]+ of [\d,]+ samples, about .* left: )?(comparing|converting|looking for|matching|running)\b")
"""The lines of ``qconvert.cli.progress``, which only a slow machine shows."""


@dataclass(frozen=True)
class Command:
    """A line behind ``$`` and the lines that it prints, as the page shows them."""

    text: str
    output: tuple[str, ...]

    @property
    def is_error(self) -> bool:
        """Return whether the page shows that the command is refused."""
        return any(re.match(r"(.*: )?error: ", line) for line in self.output)

    def printed(self, found: str) -> bool:
        """Return whether the output is the page's, spaces apart; ``...`` in the page stands for anything.

        Notes that the page leaves out are no difference, and neither are the steps that work of half a minute shows.
        """
        left_out = (_STEP,) if any(line.startswith("note: ") for line in self.output) else (_STEP, _NOTE)
        found = "\n".join(line for line in found.splitlines() if not any(each.match(line) for each in left_out))
        shown = " ".join(" ".join(self.output).split())
        pattern = ".*".join(re.escape(part) for part in shown.split("..."))
        return re.fullmatch(pattern, " ".join(found.split()), re.DOTALL) is not None


@dataclass(frozen=True)
class Block:
    """A fenced block: its line in the page, its language, and the title of one that is a file."""

    line: int
    language: str
    title: str | None
    text: str

    @property
    def first(self) -> str:
        return self.text.strip().split("\n")[0]

    def commands(self) -> Iterator[Command]:
        """Yield the commands of a block in ``console``."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            head, *rest = re.split(r"(?<!\\)\n", part, maxsplit=1)
            yield Command(head, tuple("".join(rest).strip().splitlines()))


def blocks(page: Path) -> list[Block]:
    """Return the page's blocks, in order."""
    text = page.read_text()
    found = []
    for block in _BLOCK.finditer(text):
        language = block["head"].split(maxsplit=1)[0] if block["head"] else ""
        title = re.search(r'title="([^"]*)"', block["head"])
        body = re.sub(rf"^{block['indent']}", "", block["text"], flags=re.MULTILINE)
        line = text.count("\n", 0, block.start()) + 1
        found.append(Block(line, language, title and title[1], body))
    return found
