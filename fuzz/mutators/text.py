"""Mutations of MLIR text: numbers, types, operands, attributes, words, lines, and ops of other texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz.mutators.raw import RAW, Mutation, one_of
from fuzz.mutators.words import of_text, repeated, replaced

TOKEN = re.compile(r'"[^"\n]*"|[%@#!^]?[\w.$]+|->|\s+|.')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>)?>")
NUMBERS = (
    *("0", "1", "-1", "2", "3", "7", "255", "-129", "4294967296", "1099511627776", "9" * 30, "1e-45", "0.0", "1e39"),
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


def edit_number(rng: random.Random, text: str) -> str:
    return replaced(rng, text, NUMBER, NUMBERS)


def edit_type(rng: random.Random, text: str) -> str:
    return replaced(rng, text, TYPE, TYPES)


def edit_every_type(rng: random.Random, text: str) -> str:
    """Replace a type everywhere, so that the text stays consistent."""
    found = sorted(set(TYPE.findall(text)))
    return text.replace(rng.choice(found), rng.choice((*TYPES, *found))) if found else text


def edit_every_number(rng: random.Random, text: str) -> str:
    """Replace a number everywhere: sizes in types, in lists and in constants."""
    found = sorted(set(re.findall(r"\d+", text)))
    old = rng.choice(found) if found else "0"
    new = rng.choice((*NUMBERS, *found, *map(str, range(9))))
    return re.sub(rf"(?<!\d){old}(?!\d)", new, text)


def edit_element(rng: random.Random, text: str) -> str:
    """Replace an element type everywhere."""
    found = sorted(set(re.findall(r"\b(?:u?i\d+|b?f\d+)\b", text)))
    new = rng.choice(("f16", "bf16", "f32", "f64", "i1", "i2", "i4", "i8", "ui8", "i16", "i32", "ui32", "i64"))
    return re.sub(rf"(?<![a-z]){rng.choice(found)}\b", new, text) if found else text


def edit_operand(rng: random.Random, text: str) -> str:
    return replaced(rng, text, re.compile(r"%\w+"), ())


def edit_word(rng: random.Random, text: str) -> str:
    return replaced(rng, text, TOKEN, WORDS)


def edit_op(rng: random.Random, text: str) -> str:
    return replaced(rng, text, re.compile(r"\b(?:stablehlo|quant|qconvert|func|tosa)\.\w+"), ("stablehlo.abs",))


def edit_lines(rng: random.Random, text: str) -> str:
    """Remove, repeat or move a line."""
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


DICTIONARY = re.compile(r"[{<](?=[\w.]+ = )")
ATTRIBUTE = re.compile(
    r"\b[A-Za-z_][\w.]* = (?:\[[^\[\]]*\]|#[\w.]+(?:<[^<>]*>)?|array<[^<>]*>|dense<[^<>]*>[^,}]*|\"[^\"]*\"|-?[\w.]+)"
)
OP = re.compile(r"^[^\n{}]*\b(?:stablehlo|quant|qconvert|chlo|tosa)\.[a-z_]\w*[^\n{}]*$", re.MULTILINE)


def adopt_op(rng: random.Random, text: str, other: str) -> str:
    """Insert an op of another text after one of this text; its operands become values of this text."""
    found, own, values = OP.findall(other), list(OP.finditer(text)), re.findall(r"%\w+", text)
    if not (found and own and values):
        return text
    made, at = f"%f{rng.randrange(1000)}", rng.choice(own).end()
    result, _, body = rng.choice(found).rpartition(" = ") if rng.randrange(8) else ("", "", rng.choice(found))
    line = re.sub(r"%[\w#]+", lambda _: rng.choice(values), body)
    text = f"{text[:at]}\n{made} = {line.strip()}{text[at:]}" if result else f"{text[:at]}\n{line}{text[at:]}"
    return text if rng.randrange(3) else text.replace(f"return {rng.choice(values)}", f"return {made}")


def adopt_attribute(rng: random.Random, text: str, other: str) -> str:
    """Replace an attribute by an attribute of another text, or add that to a dictionary."""
    found = ATTRIBUTE.findall(other)
    if not found:
        return text
    new, places = rng.choice(found), list(DICTIONARY.finditer(text))
    if places and rng.randrange(2):
        at = rng.choice(places).end()
        return f"{text[:at]}{new}, {text[at:]}"
    return replaced(rng, text, ATTRIBUTE, (new,) * 8)


def nest(rng: random.Random, text: str) -> str:
    """Repeat a bracket, a word or a line many times."""
    word, line = rng.choice(WORDS), rng.choice(text.splitlines(keepends=True) or [""])
    return repeated(rng, text, rng.choice((word, word, line)))


def edited(rng: random.Random, text: str, other: str) -> str:
    """Change one part of a text."""
    match rng.randrange(60):
        case 0:
            return nest(rng, text)
        case n if n < 8:
            return adopt_op(rng, text, other)
        case n if n < 14:
            return adopt_attribute(rng, text, other)
        case _:
            return rng.choice(EDITS)(rng, text)


edit = of_text(edited)
mutate: Mutation = one_of((*RAW, *(edit,) * 24))
