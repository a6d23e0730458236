"""Seeded mutations of MLIR text, converted and after passes, and read back; run as ``fuzzing.serve`` says."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from qconvert import api
from qconvert.passes import PASSES
from qconvert.support.errors import QConvertError
from tests.support.fuzzing import Mutation, flip, refused, remove, serve, splice, truncate
from tests.support.read_back import convert_and_read_back, read_back

TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w.$]+|->|\s+|.')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>)?>")
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "-129",
    "4294967296",
    "1099511627776",
    "9" * 30,
    "1e-45",
    "0.0",
    "1e39",
)
TYPES = (
    *("tensor<f32>", "tensor<2x3xf32>", "tensor<0xi8>", "tensor<4xi1>", "tensor<1099511627776xi8>", "i32", "none"),
    *("tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>", "tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.25,1.0}>>"),
    *("tensor<!quant.uniform<i32:f32, 0.25>>", "tensor<*xf32>", "tensor<?xf32>", "tuple<>", "() -> ()"),
)
WORDS = (
    *("<", ">", "(", ")", "[", "]", "{", "}", ",", ":", "->", "=", '"', "-1", "%arg0", "%0", "%1", "@main", "dense<1>"),
    *("array<i64: 1, 0>", 'dense<"0x00">', "loc(unknown)", "loc(#loc1)", "stablehlo.add", "func.func", "// -----", ""),
)

Edit = Callable[[random.Random, str], str]


def _replaced(rng: random.Random, text: str, pattern: re.Pattern[str], choices: Sequence[str]) -> str:
    """One match of the pattern replaced by a choice or by another match."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    match, other = rng.choice(found), rng.choice(found)
    new = rng.choice((*choices, other[0], other[0]))
    return text[: match.start()] + new + text[match.end() :]


def edit_number(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, NUMBER, NUMBERS)


def edit_type(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, TYPE, TYPES)


def edit_every_type(rng: random.Random, text: str) -> str:
    """The same type everywhere, so that the text still agrees with itself."""
    found = sorted(set(TYPE.findall(text)))
    return text.replace(rng.choice(found), rng.choice((*TYPES, *found))) if found else text


def edit_every_number(rng: random.Random, text: str) -> str:
    """The same number everywhere: sizes in types, in lists and in constants."""
    found = sorted(set(re.findall(r"\d+", text)))
    old = rng.choice(found) if found else "0"
    new = rng.choice((*NUMBERS, *found, *map(str, range(9))))
    return re.sub(rf"(?<!\d){old}(?!\d)", new, text)


def edit_element(rng: random.Random, text: str) -> str:
    """The same element type everywhere."""
    found = sorted(set(re.findall(r"\b(?:u?i\d+|b?f\d+)\b", text)))
    new = rng.choice(("f16", "bf16", "f32", "f64", "i1", "i2", "i4", "i8", "ui8", "i16", "i32", "ui32", "i64"))
    return re.sub(rf"(?<![a-z]){rng.choice(found)}\b", new, text) if found else text


def edit_operand(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, re.compile(r"%\w+"), ())


def edit_word(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, TOKEN, WORDS)


def edit_op(rng: random.Random, text: str) -> str:
    return _replaced(rng, text, re.compile(r"\b(?:stablehlo|quant|qconvert|func|tosa)\.\w+"), ("stablehlo.abs",))


def edit_lines(rng: random.Random, text: str) -> str:
    """A line taken out, doubled or moved."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "".join(lines)


EDITS: tuple[Edit, ...] = (
    *(edit_number, edit_every_number, edit_every_number, edit_type, edit_every_type, edit_every_type),
    *(edit_element, edit_element, edit_operand, edit_operand, edit_word, edit_op, edit_lines),
)


def edit(rng: random.Random, data: bytes, _: bytes) -> bytes:
    text = data.decode()
    for _i in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice(EDITS)(rng, text)
    return text.encode()


MUTATIONS: tuple[Mutation, ...] = (flip, truncate, splice, remove, *(edit,) * 8)


def mutated(seed: int, files: Sequence[bytes]) -> bytes:
    """The bytes of one case."""
    rng = random.Random(seed)
    data, other = rng.choice(files), rng.choice(files)
    return rng.choice(MUTATIONS)(rng, data, other)


def run(data: bytes, case: int) -> str:
    """Convert in the way that follows from the case, then run one pass alone; read back what both wrote."""
    try:
        model = api.load(data)
        convert_and_read_back(model, case)
        read_back(api.transform(model, [tuple(PASSES)[case % len(PASSES)]]), model)
    except QConvertError as error:
        return refused(error)
    return "converted"


if __name__ == "__main__":
    serve(mutated, run)
