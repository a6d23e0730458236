"""Ops of TOSA as modules of text for any element types, and tosa-opt's verdict on many of them in one call."""

from __future__ import annotations

import bisect
import itertools
import re
import subprocess
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from qconvert.dialects.tosa.element_types import EXTENSIONS

ELEMENTS = ("i1", "i4", "i8", "i16", "i32", "i48", "i64", "ui8", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64")
"""The element types that are tried: TOSA's, and some that it lacks."""

_UNARY = "abs bitwise_not ceil clz cos erf exp floor identity log logical_not reciprocal rsqrt sigmoid sin tanh"
_BINARY = """add bitwise_and bitwise_or bitwise_xor intdiv logical_and logical_left_shift logical_or logical_right_shift
    logical_xor pow sub equal greater_equal greater maximum minimum arithmetic_right_shift"""
_REDUCTIONS = "reduce_max reduce_min reduce_sum reduce_product reduce_all reduce_any"
_ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)


class Form(NamedTuple):
    """An op's operands and its result as shapes.

    An operand is the shape of an argument, ``=`` and that of a constant, or ``!`` and the sizes of a constant shape.
    ``groups`` has a letter for the type of each operand, of the accumulator if the op has one, and of the result: types
    of one letter vary together. ``attributes`` may have ``{limit}``, a number of the first type.
    """

    operands: Sequence[str]
    result: str
    groups: str
    attributes: str = ""
    accumulates: bool = False


def _conv(*, zeros: str = "0, 0, 0, 0", ones: str = "1, 1") -> str:
    return f"dilation = array<i64: {ones}>, pad = array<i64: {zeros}>, stride = array<i64: {ones}>"


_POOL = "kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
_TRANSPOSED = "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>"
_RESIZED = ["1x2x2x1", "!1, 1, 1, 1", "!0, 0", "!0, 0"]
_RESCALED = """input_unsigned = false, output_unsigned = false, per_channel = false,
    rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = {}"""

FORMS: dict[str, Form] = {
    **{name: Form(["2x3"], "2x3", "ab") for name in _UNARY.split()},
    **{name: Form(["2x3", "2x3"], "2x3", "abc") for name in _BINARY.split()},
    "arithmetic_right_shift": Form(["2x3", "2x3"], "2x3", "abc", "round = true"),
    **{name: Form(["2x3"], "2x1", "ab", "axis = 1 : i32") for name in _REDUCTIONS.split()},
    "argmax": Form(["2x3"], "2", "ab", "axis = 1 : i32"),
    "avg_pool2d": Form(["1x4x4x2", "=1", "=1"], "1x3x3x2", "abbcd", _POOL, accumulates=True),
    "max_pool2d": Form(["1x4x4x2"], "1x3x3x2", "ab", _POOL),
    "cast": Form(["2x3"], "2x3", "ab"),
    "clamp": Form(["2x3"], "2x3", "ab", "max_val = {limit}, min_val = {limit}"),
    "concat": Form(["2x3", "2x3"], "2x6", "abc", "axis = 1 : i32"),
    "conv2d": Form(["1x4x4x2", "3x2x2x2", "3", "=1", "=1"], "1x3x3x3", "abcabde", _conv(), accumulates=True),
    "conv3d": Form(
        ["1x4x4x4x2", "3x2x2x2x2", "3", "=1", "=1"],
        "1x3x3x3x3",
        "abcabde",
        _conv(zeros="0, 0, 0, 0, 0, 0", ones="1, 1, 1"),
        accumulates=True,
    ),
    "depthwise_conv2d": Form(["1x4x4x2", "2x2x2x1", "2", "=1", "=1"], "1x3x3x2", "abcabde", _conv(), accumulates=True),
    "transpose_conv2d": Form(
        ["1x4x4x2", "3x2x2x2", "3", "=1", "=1"], "1x5x5x3", "abcabde", _TRANSPOSED, accumulates=True
    ),
    "gather": Form(["2x3x4", "2x5"], "2x5x4", "abc"),
    "matmul": Form(["2x3x4", "2x4x5", "=1", "=1"], "2x3x5", "ababc"),
    "mul": Form(["2x3", "2x3", "=1"], "2x3", "abcd"),
    "negate": Form(["2x3", "=1", "=1"], "2x3", "abcd"),
    "pad": Form(["2x3", "!1, 1, 0, 0", "=1"], "4x3", "abc"),
    "rescale": Form(["2x3", "=1", "=1", "=1", "=1"], "2x3", "abcade", _RESCALED.format("true")),
    "rescale by 16 bits": Form(["2x3", "=1", "=1", "=1", "=1"], "2x3", "abcade", _RESCALED.format("false")),
    "reshape": Form(["2x3", "!3, 2"], "3x2", "ab"),
    "resize to nearest": Form(_RESIZED, "1x2x2x1", "ab", "mode = #tosa.resize_mode<NEAREST_NEIGHBOR>"),
    "resize linearly": Form(_RESIZED, "1x2x2x1", "ab", "mode = #tosa.resize_mode<BILINEAR>"),
    "reverse": Form(["2x3"], "2x3", "ab", "axis = 1 : i32"),
    "scatter": Form(["2x5x4", "2x3", "2x3x4"], "2x5x4", "abcd"),
    "select": Form(["2x3", "2x3", "2x3"], "2x3", "abcd"),
    "slice": Form(["2x3", "!0, 1", "!2, 2"], "2x2", "ab"),
    "table": Form(["2x3", "=256"], "2x3", "abc"),
    "table of 16 bits": Form(["2x3", "=513"], "2x3", "abc"),
    "tile": Form(["2x3", "!1, 2"], "2x6", "ab"),
    "transpose": Form(["2x3"], "3x2", "ab", "perms = array<i32: 1, 0>"),
}
"""The ops of the dialect by name; what follows a space is one of several forms of an op."""


def module_of_types(name: str, types: Sequence[str], *, target: str = "", function: str = "main") -> str:
    """Return a module of one op of these types, in the order of ``Form.groups``; ``target`` is its target_env."""
    form, rest = FORMS[name], iter(types)
    lines: list[str] = []
    arguments: list[str] = []
    taken: list[str] = []
    for i, operand in enumerate(form.operands):
        if operand.startswith("!"):
            rank = operand.count(",") + 1
            taken.append(f"!tosa.shape<{rank}>")
            values = f"dense<[{operand[1:]}]> : tensor<{rank}xindex>"
            lines.append(f'%{i} = "tosa.const_shape"() <{{values = {values}}}> : () -> {taken[-1]}')
            continue
        element = next(rest)
        taken.append(f"tensor<{operand.removeprefix('=')}x{element}>")
        if operand.startswith("="):
            values = f"dense<{_constant(name, i, element)}> : {taken[-1]}"
            lines.append(f'%{i} = "tosa.const"() <{{values = {values}}}> : () -> {taken[-1]}')
        else:
            arguments.append(f"%{i}: {taken[-1]}")
    limit = _zero(types[0]) + (f" : {types[0]}" if types[0] != "i1" else "")
    accumulator = [f"acc_type = {next(rest)}"] if form.accumulates else []
    attributes = ", ".join([*accumulator, *filter(None, [form.attributes.replace("{limit}", limit)])])
    result, operands = f"tensor<{form.result}x{next(rest)}>", ", ".join(f"%{i}" for i in range(len(taken)))
    properties = f" <{{{attributes}}}>" if attributes else ""
    lines.append(f'%r = "tosa.{name.split(maxsplit=1)[0]}"({operands}){properties} : ({", ".join(taken)}) -> {result}')
    body = "\n  ".join([*lines, f"return %r : {result}"])
    header = f"module attributes {{tosa.target_env = {target}}} {{\n" if target else ""
    return (
        f"{header}func.func @{function}({', '.join(arguments)}) -> {result} {{\n  {body}\n}}\n{'}' if header else ''}\n"
    )


def _zero(element: str) -> str:
    return "false" if element == "i1" else "0.0" if "f" in element else "0"


def _constant(name: str, operand: int, element: str) -> str:
    """Return an operand's value: a shift that RESCALE takes, else zero."""
    return "14" if (name.split(maxsplit=1)[0], operand, element) == ("rescale", 2, "i8") else _zero(element)


def combinations(name: str, rows: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield types for an op: all pairs for CAST, else all uniform ones, rows, and rows with one type changed.

    ``rows`` are types that are right. Types of one letter of the form vary together.
    """
    groups = FORMS[name].groups
    letters = sorted(set(groups))
    known = [tuple(row[groups.index(letter)] for letter in letters) for row in rows]
    chosen = dict.fromkeys(itertools.product(ELEMENTS, repeat=2) if name == "cast" else known)
    chosen |= dict.fromkeys((element,) * len(letters) for element in ELEMENTS)
    for row, i, element in itertools.product(known, range(len(letters)), ELEMENTS):
        chosen[*row[:i], element, *row[i + 1 :]] = None
    for types in chosen:
        yield tuple(types[letters.index(letter)] for letter in groups)


def tosa_opt_errors(texts: Sequence[str], extensions: Sequence[str] | None = EXTENSIONS) -> dict[int, str]:
    """Return tosa-opt's first error about each module that it refuses, by the module's place in the list.

    The target has both profiles and these extensions; None leaves the modules' own targets.
    """
    from qconvert.engines import tosa_opt

    names = ",".join([*(extensions or ()), "doubleround", "inexactround"])
    attached = f"--tosa-attach-target=specification_version=1.0 profiles=pro_int,pro_fp extensions={names} level=8k"
    options = ["--split-input-file", *([] if extensions is None else [attached])]
    command = [str(tosa_opt.program()), *options, "--tosa-validate=strict-op-spec-alignment"]
    given = "// -----\n".join(texts)
    ended = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    starts = list(itertools.accumulate((text.count("\n") + 1 for text in texts), initial=1))
    errors: dict[int, str] = {}
    for line, what in _ERROR.findall(ended.stderr):
        errors.setdefault(bisect.bisect_right(starts, int(line)) - 1, what)
    assert ended.returncode == bool(errors), ended.stderr[-2000:]
    return errors
