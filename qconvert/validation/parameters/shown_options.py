"""The options of its format with which a file seems to be written from a model, as far as the file shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from itertools import product
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from qconvert.api import Model
from qconvert.backends.base import WriteOptions
from qconvert.backends.onnx import OnnxOptions, Style
from qconvert.backends.stablehlo import ReductionForm, StableHloOptions
from qconvert.backends.tflite import HeldAs, TfliteOptions
from qconvert.backends.tosa import HalfRounding, TosaOptions
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, every_accelerator
from qconvert.formats import FORMATS, Format
from qconvert.interpreter.core import main_function, returned
from qconvert.ir import is_float_tensor, shape
from qconvert.validation.parameters.purposes import is_unsigned

_QOPERATOR = re.compile("(.*[.:])?Q[A-Z]")
"""The names of operators on quantized tensors: QLinearConv, QGemm."""


def shown_options(file: Model, to: Format, source: Model) -> Iterator[WriteOptions]:
    """Yield the options that the operators and the ports of a file show, the likeliest first."""
    options = FORMATS[to].checked_options()
    ports = _shown_by_ports(options, file, source)
    for chosen in _shown_by_operators(options, file):
        yield replace(options, **ports, **chosen)


def rare_options(file: Model, to: Format, source: Model) -> Iterator[WriteOptions]:
    """Yield the options that write other operators, which a file that was written without them has not."""
    options = FORMATS[to].checked_options()
    ports = _shown_by_ports(options, file, source)
    for chosen in _of_other_operators(options, file):
        yield replace(options, **ports, **chosen)


def flags(options: WriteOptions | None) -> tuple[str, ...]:
    """Return the options that are not the defaults, as the command line has them."""
    if options is None:
        return ()
    default, found = type(options)(), list[str]()
    for option in fields(options):
        value = getattr(options, option.name)
        if option.metadata and value != getattr(default, option.name):
            found.append(f"--{option.name.replace('_', '-')}{_value(value)}")
    return tuple(found)


def _value(value: Any) -> str:
    return "" if value is True else f" {getattr(value, 'name', value) if isinstance(value, tuple) else value}"


def _shown_by_ports(options: WriteOptions, file: Model, source: Model) -> Mapping[str, Any]:
    """Return the options that inputs and outputs show, which are compared with those of the source at their places."""
    pairs = list(zip(_ports(source), _ports(file), strict=False))
    found = {
        "quantized_io": any(is_float_tensor(one) and not is_float_tensor(other) for one, other in pairs),
        "nhwc_io": any(_is_moved(one, other) for one, other in pairs),
    }
    return {name: value for name, value in found.items() if value and hasattr(options, name)}


def _ports(model: Model) -> list[SSAValue]:
    return [*main_function(model.module).args, *returned(model.module)]


def _is_moved(one: SSAValue, other: SSAValue) -> bool:
    """Return True if the second value has the shape of the first one with the channels of an image moved last."""
    if not all(isinstance(value.type, TensorType) for value in (one, other)) or len(shape(one)) != 4:
        return False
    batch, channels, height, width = shape(one)
    return shape(one) != shape(other) == (batch, height, width, channels)


def _shown_by_operators(options: WriteOptions, file: Model) -> list[dict[str, Any]]:
    if isinstance(options, OnnxOptions):
        is_qoperator = any(map(_QOPERATOR.match, file.op_types.values()))
        styles = [Style.QOPERATOR, Style.QDQ] if is_qoperator else [Style.QDQ, Style.QOPERATOR]
        return [{"style": style} for style in styles]
    if isinstance(options, TfliteOptions) and any(map(is_unsigned, file.module.walk())):
        return [{"storage": HeldAs.SOURCE}, {}]
    return [{}]


def _of_other_operators(options: WriteOptions, file: Model) -> list[dict[str, Any]]:
    """Return the options of a format that decide how operators are written, without the defaults."""
    if isinstance(options, OnnxOptions):
        return [{**style, "exact_rounding": True} for style in _shown_by_operators(options, file)]
    if isinstance(options, StableHloOptions):
        forms = (ReductionForm.SPEC, ReductionForm.RFC)
        return [{"exact_rounding": True}, *({"reduction_form": form} for form in forms)]
    if isinstance(options, TosaOptions):
        ways = product(HalfRounding, (ANY_HARDWARE, *every_accelerator()))
        return [{"rounding": rounding, "npu": npu} for rounding, npu in ways][1:]
    return []
