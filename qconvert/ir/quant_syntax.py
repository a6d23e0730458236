"""The text of the ``quant`` types as MLIR writes it: printing and parsing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, f32
from xdsl.parser import AttrParser

from qconvert.ir.quant_parameters import AnyParameters, CalibratedParameters, Storage, UniformParameters

_STORAGE = re.compile(r"(i|ui|u)([0-9]{1,3})")

_PARAMETER = r"-?[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?)?(?::-?[0-9]+)?"
_PARAMETERS = re.compile(rf"\{{\s*{_PARAMETER}(?:\s*,\s*{_PARAMETER})*\s*\}}")


def float_text(value: float) -> str:
    """Return the shortest decimal that reads back as the same double; MLIR requires a dot before an exponent."""
    return _with_dot(repr(float(value)))


def float_texts(values: Sequence[float]) -> list[str]:
    """Return ``float_text`` of each scale; for thousands of scales this takes a tenth of the time."""
    return [text if "." in text else _with_dot(text) for text in repr(list(values))[1:-1].split(", ")]


def _with_dot(text: str) -> str:
    if "." in text or "n" in text:
        return text
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}.0{exponent}{power}"


def uniform_text(d: UniformParameters) -> str:
    """Return ``<storage:expressed[:axis], parameters>``; a zero point of 0 is left out."""
    head = f"{d.storage}:{d.expressed_type}"
    flat = float_texts(d.scales)
    if d.distinct_zero_points != {0}:
        flat = [
            f"{text}:{zero_point}" if zero_point else text for text, zero_point in zip(flat, d.zero_points, strict=True)
        ]
    if d.quantization_dimension is not None:
        return f"<{head}:{d.quantization_dimension}, {{{','.join(flat)}}}>"
    if d.block_sizes:
        blocks = ", ".join(f"{dimension}:{size}" for dimension, size in d.block_sizes)
        return f"<{head}:{{{blocks}}}, {_nested_text(flat, d.block_shape)}>"
    return f"<{head}, {flat[0]}>"


def _nested_text(flat: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return "{" + ", ".join(_nested_text(flat[i : i + step], shape[1:]) for i in range(0, len(flat), step)) + "}"


def parse_uniform(parser: AttrParser) -> UniformParameters:
    """Parse the angle brackets of ``!quant.uniform``."""
    with parser.in_angle_brackets():
        storage, expressed_type = _storage_and_expressed(parser)
        axis, block_sizes = _axis_or_blocks(parser)
        parser.parse_punctuation(",")
        scales: list[float] = []
        zero_points: list[int] = []
        shape = _nested_parameters(parser, scales, zero_points)
    if axis is None and not block_sizes and shape:
        parser.raise_error("a list of scales needs a quantization dimension")
    if axis is not None and not shape:
        parser.raise_error("a quantization dimension needs a list of scales")
    return UniformParameters(
        storage, expressed_type, tuple(scales), tuple(zero_points), axis, block_sizes, shape if block_sizes else ()
    )


def _axis_or_blocks(parser: AttrParser) -> tuple[int | None, tuple[tuple[int, int], ...]]:
    if parser.parse_optional_punctuation(":") is None:
        return None, ()
    blocks = parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, lambda: _block(parser))
    if blocks is not None:
        return None, tuple(blocks)
    start = parser.pos
    axis = parser.parse_integer(allow_boolean=False)
    if axis < 0:
        parser.raise_error(f"quantized type (C11): quantization dimension {axis} is negative", start)
    return axis, ()


def _block(parser: AttrParser) -> tuple[int, int]:
    dimension = parser.parse_integer(allow_boolean=False, allow_negative=False)
    parser.parse_punctuation(":")
    return dimension, parser.parse_integer(allow_boolean=False, allow_negative=False)


def _nested_parameters(parser: AttrParser, scales: list[float], zero_points: list[int]) -> tuple[int, ...]:
    """Read ``scale[:zero_point]`` or a nest of lists of them; returns the nest's shape."""
    length = _plain_parameters(parser, scales, zero_points)
    if length:
        return (length,)
    nested = parser.parse_optional_comma_separated_list(
        parser.Delimiter.BRACES, lambda: _nested_parameters(parser, scales, zero_points)
    )
    if nested is None:
        scales.append(_scale(parser))
        has_zero_point = parser.parse_optional_punctuation(":") is not None
        zero_points.append(parser.parse_integer(allow_boolean=False) if has_zero_point else 0)
        return ()
    if not nested or any(inner != nested[0] for inner in nested):
        parser.raise_error("the nested lists of scales differ in length")
    return (len(nested), *nested[0])


def _plain_parameters(parser: AttrParser, scales: list[float], zero_points: list[int]) -> int:
    """Read a list without lists in it at once, as a large model has a million scales; returns its length.

    A list that is not as MLIR prints it is left to the parser, which names the place of an error: 0.
    """
    match = _PARAMETERS.match(parser.lexer.input.content, parser.pos)
    if match is None:
        return 0
    pairs = [text.partition(":") for text in match[0][1:-1].split(",")]
    scales.extend(float(scale) for scale, _, _ in pairs)
    zero_points.extend(int(zero_point or 0) for _, _, zero_point in pairs)
    parser._resume_from(match.end())
    return len(pairs)


def _scale(parser: AttrParser) -> float:
    start = parser.pos
    value = float(parser.parse_number())
    if "x" in parser.lexer.input.content[start : parser.pos]:  # xDSL reads hex digits as an integer
        parser.raise_error("a scale is a decimal number", start)
    return value


def _storage_and_expressed(parser: AttrParser) -> tuple[Storage, AnyFloat]:
    storage = _storage(parser)
    parser.parse_punctuation(":")
    return storage, _expressed(parser)


def _expressed(parser: AttrParser) -> AnyFloat:
    expressed_type = parser.parse_type()
    if not isinstance(expressed_type, AnyFloat):
        parser.raise_error(f"the expressed type must be a float, found {expressed_type}")
    return expressed_type


def _storage(parser: AttrParser) -> Storage:
    word = parser.parse_identifier()
    match = _STORAGE.fullmatch(word)
    if match is None:
        parser.raise_error(f"expected a storage type such as i8 or ui8, found {word}")
    width, signed = int(match[2]), match[1] == "i"
    if not 1 <= width <= 64:
        parser.raise_error(f"storage of {width} bits is not supported")
    if parser.parse_optional_punctuation("<") is None:
        return Storage.full(width, signed=signed)
    minimum = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(":")
    maximum = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(">")
    return Storage(width, signed, minimum, maximum)


def parse_any(parser: AttrParser) -> AnyParameters:
    """Parse the angle brackets of ``!quant.any``; without an expressed type that is f32."""
    with parser.in_angle_brackets():
        storage = _storage(parser)
        is_short = parser.parse_optional_punctuation(":") is None
        return AnyParameters(storage, f32 if is_short else _expressed(parser))


def parse_calibrated(parser: AttrParser) -> CalibratedParameters:
    """Parse the angle brackets of ``!quant.calibrated``."""
    with parser.in_angle_brackets():
        expressed_type = parser.parse_type()
        if not isinstance(expressed_type, AnyFloat):
            parser.raise_error(f"the expressed type must be a float, found {expressed_type}")
        if parser.parse_optional_punctuation(":") is not None:
            axis = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            slices = parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _range(parser))
            if not slices:
                parser.raise_error("a range is needed for each slice")
            lows, highs = zip(*slices, strict=True)
            return CalibratedParameters(expressed_type, min(lows), max(highs), axis, tuple(slices))
        parser.parse_punctuation("<")
        minimum, maximum = _range(parser)
        parser.parse_punctuation(">")
    return CalibratedParameters(expressed_type, minimum, maximum)


def _range(parser: AttrParser) -> tuple[float, float]:
    minimum = float(parser.parse_number())
    parser.parse_punctuation(":")
    return minimum, float(parser.parse_number())


def calibrated_text(d: CalibratedParameters) -> str:
    """Return ``<expressed<min:max>>``, or ``<expressed:axis, {min:max,..}>`` for a range for each slice."""
    if d.quantization_dimension is None:
        return f"<{d.expressed_type}<{float_text(d.minimum)}:{float_text(d.maximum)}>>"
    slices = ",".join(f"{float_text(low)}:{float_text(high)}" for low, high in d.slices)
    return f"<{d.expressed_type}:{d.quantization_dimension}, {{{slices}}}>"
