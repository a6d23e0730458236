"""Seeded mutations of real models through import, passes, StableHLO and text; run as a process of its own.

``python fuzz_worker.py SEED COUNT FILE...`` prints one JSON line for each case that ended in anything but a
QConvertError, and at the end how many cases converted and how many were refused.
"""

from __future__ import annotations

import io
import json
import random
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, helper, numpy_helper

from qconvert import api
from qconvert.backends.stablehlo import ReductionForm, StableHloOptions
from qconvert.errors import QConvertError
from qconvert.formats import Format
from qconvert.frontends.onnx.context import OPERATORS
from qconvert.frontends.onnx.importer import load_families

ADDRESS_SPACE = 1_500_000_000
SECONDS = 5
INTEGERS = (0, 1, 2, -1, -2, 3, 7, 64, 255, 2**16, 2**31 - 1, 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 3e38, float("inf"), float("-inf"), float("nan"))
NAMES = ("", "x", "input", "y", "..", "/etc/passwd", "é\n\t\"'", "a" * 500)

Bytes = Callable[[random.Random, bytes, bytes], bytes]
Edit = Callable[[random.Random, GraphProto], None]


def flip(rng: random.Random, data: bytes, _: bytes) -> bytes:
    changed = bytearray(data)
    for _i in range(rng.choice((1, 1, 2, 4, 16))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def flip_early(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The head, where names, nodes and lengths stand closest together."""
    cut = min(len(data), 4000)
    return flip(rng, data[:cut], other) + data[cut:]


def truncate(rng: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at, start, length = rng.randrange(len(data)), rng.randrange(len(other)), rng.choice((1, 8, 64, 1000))
    return data[:at] + other[start : start + length] + data[at + rng.choice((0, length)) :]


def remove(rng: random.Random, data: bytes, _: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 16, 200)) :]


def edit_operator(rng: random.Random, graph: GraphProto) -> None:
    known = sorted({key.op_type for key in OPERATORS})
    rng.choice(graph.node).op_type = rng.choice([*known, *known, "", "If", "Loop", "NoSuchOperator"])


def edit_inputs(rng: random.Random, graph: GraphProto) -> None:
    node, names = rng.choice(graph.node), _tensor_names(graph)
    action = rng.randrange(4)
    if action == 0 or not node.input:
        node.input.append(rng.choice(names))
    elif action == 1:
        del node.input[rng.randrange(len(node.input))]
    else:
        node.input[rng.randrange(len(node.input))] = rng.choice(names)


def edit_outputs(rng: random.Random, graph: GraphProto) -> None:
    node, names = rng.choice(graph.node), _tensor_names(graph)
    if rng.randrange(3) or not node.output:
        node.output.append(rng.choice(names))
    else:
        del node.output[0]


def edit_attribute(rng: random.Random, graph: GraphProto) -> None:
    having = [node for node in graph.node if node.attribute]
    if not having or not rng.randrange(4):
        node = rng.choice(graph.node)
        name = rng.choice(("axis", "axes", "perm", "pads", "strides", "group", "block_size", "to", "value", "alpha"))
        value: object = rng.choice((rng.choice(INTEGERS), [rng.choice(INTEGERS)] * rng.randrange(1, 9), 0.5, "text"))
        node.attribute.append(helper.make_attribute(name, value))
        return
    attribute = rng.choice(rng.choice(having).attribute)
    if attribute.type == AttributeProto.INTS and attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(INTEGERS)
    elif attribute.type == AttributeProto.INT:
        attribute.i = rng.choice(INTEGERS)
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = rng.choice(FLOATS)
    else:
        attribute.type = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14))


def edit_list(rng: random.Random, graph: GraphProto) -> None:
    lists = [a for node in graph.node for a in node.attribute if a.type == AttributeProto.INTS]
    if lists:
        attribute = rng.choice(lists)
        if rng.randrange(2) and attribute.ints:
            attribute.ints.pop()
        else:
            attribute.ints.extend([rng.choice(INTEGERS)] * rng.choice((1, 2, 70)))


def edit_initializer_frame(rng: random.Random, graph: GraphProto) -> None:
    if not graph.initializer:
        return
    tensor = rng.choice(graph.initializer)
    action = rng.randrange(6)
    if action == 0:
        tensor.data_type = rng.choice((*range(27), 99))
    elif action == 1:
        tensor.dims.append(rng.choice(INTEGERS))
    elif action == 2 and tensor.dims:
        tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(INTEGERS)
    elif action == 3:
        del tensor.dims[:]
    elif action == 4:
        tensor.name = rng.choice(_tensor_names(graph))
    else:
        tensor.data_location = TensorProto.EXTERNAL
        for key in ("location", "offset", "length"):
            tensor.external_data.add(key=key, value=rng.choice((*NAMES, *map(str, INTEGERS))))


def edit_initializer_values(rng: random.Random, graph: GraphProto) -> None:
    small = [t for t in graph.initializer if 0 < len(t.raw_data) <= 4096 or t.float_data or t.int64_data]
    if not small:
        return
    tensor = rng.choice(small)
    try:
        array = numpy_helper.to_array(tensor).copy()
    except (ValueError, TypeError, KeyError):
        return
    if array.size:
        choices = FLOATS if array.dtype.kind == "f" else INTEGERS
        with np.errstate(all="ignore"):
            array.reshape(-1)[rng.randrange(array.size)] = np.asarray(rng.choice(choices)).astype(array.dtype)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def edit_input_shape(rng: random.Random, graph: GraphProto) -> None:
    type = rng.choice(graph.input).type
    shape = type.tensor_type.shape
    action = rng.randrange(4)
    if action == 0:
        type.tensor_type.elem_type = rng.choice((*range(27), 99))
    elif action == 1:
        shape.dim.add(dim_value=rng.choice(INTEGERS))
    elif shape.dim and action == 2:
        shape.dim[rng.randrange(len(shape.dim))].dim_value = rng.choice(INTEGERS)
    elif shape.dim:
        shape.dim[rng.randrange(len(shape.dim))].dim_param = "n"


def edit_order(rng: random.Random, graph: GraphProto) -> None:
    action = rng.randrange(3)
    if action == 0:
        del graph.node[rng.randrange(len(graph.node))]
    elif action == 1:
        graph.node.append(rng.choice(graph.node))
    else:
        graph.output.add(name=rng.choice(_tensor_names(graph)))


def _tensor_names(graph: GraphProto) -> list[str]:
    made = [name for node in graph.node for name in (*node.input, *node.output)]
    return [*made, *(value.name for value in graph.input), *NAMES]


EDITS: tuple[Edit, ...] = (
    edit_operator,
    edit_inputs,
    edit_outputs,
    edit_attribute,
    edit_attribute,
    edit_list,
    edit_initializer_frame,
    edit_initializer_values,
    edit_input_shape,
    edit_order,
)


def edit(rng: random.Random, data: bytes, _: bytes) -> bytes:
    model = ModelProto.FromString(data)
    for _i in range(rng.choice((1, 1, 1, 2, 3))):
        if model.graph.node and model.graph.input:
            rng.choice(EDITS)(rng, model.graph)
    if not rng.randrange(30):
        model.opset_import[0].version = rng.choice(INTEGERS)
    return model.SerializeToString()


MUTATIONS: tuple[Bytes, ...] = (flip, flip_early, truncate, splice, remove, edit, edit, edit, edit, edit)


class _TooSlow(BaseException):
    """Past the alarm; no Exception, so that nothing catches it on the way."""


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise _TooSlow


def mutated(seed: int, files: Sequence[bytes]) -> bytes:
    """The bytes of one case."""
    rng = random.Random(seed)
    data, other = rng.choice(files), rng.choice(files)
    mutation = rng.choice(MUTATIONS)
    return mutation(rng, data, other)


def run(data: bytes, case: int) -> str:
    """Convert to text, in a format and with options that follow from the case: what became of it."""
    target = Format.STABLEHLO_QDQ if case % 8 == 0 else Format.STABLEHLO
    form = tuple(ReductionForm)[case % len(ReductionForm)]
    options = StableHloOptions(form, exact_rounding=case % 5 == 0, quantized_io=case % 7 == 0)
    try:
        converted = api.convert(api.load(data), target, options)
        converted.write(io.StringIO())
    except QConvertError as error:
        text = str(error)
        return "refused" if len(text) < 2000 and "\n" not in text else f"a message of {len(text)} characters"
    return "converted"


def guarded(data: bytes, case: int) -> str:
    """:func:`run` under the alarm; a defect as its traceback."""
    signal.alarm(SECONDS)
    try:
        return run(data, case)
    except (_TooSlow, Exception):  # noqa: BLE001 - whatever it is, it is what this script looks for
        return traceback.format_exc(limit=-4)
    finally:
        signal.alarm(0)


def main() -> None:
    seed, count, *paths = sys.argv[1:]
    warnings.simplefilter("error")
    load_families()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.signal(signal.SIGALRM, _alarm)
    files = [data for path in paths if run(data := Path(path).read_bytes(), 0) == "converted"]
    tally: Counter[str] = Counter()
    for case in range(int(seed), int(seed) + int(count)):
        outcome = guarded(mutated(case, files), case)
        if outcome not in ("converted", "refused"):
            print(json.dumps({"case": case, "outcome": outcome}), flush=True)
            outcome = "failed"
        tally[outcome] += 1
    print(json.dumps(tally), flush=True)


if __name__ == "__main__":
    main()
