"""Seeded mutations of ONNX models, converted to every format and read back; run as ``fuzzing.serve`` says."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, helper, numpy_helper

from qconvert import api
from qconvert.frontends.onnx.context import OPERATORS
from qconvert.support.errors import QConvertError
from tests.support.fuzzing import Mutation, flip, flip_early, refused, remove, serve, splice, truncate
from tests.support.read_back import convert_and_read_back

INTEGERS = (0, 1, 2, -1, -2, 3, 7, 64, 255, 2**16, 2**31 - 1, 2**31, 2**40, -(2**40), 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 1e-30, 3e38, float("inf"), float("-inf"), float("nan"))
NAMES = ("", "x", "input", "y", "..", "/etc/passwd", "é\n\t\"'", "a" * 500)

Edit = Callable[[random.Random, GraphProto], None]


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


MUTATIONS: tuple[Mutation, ...] = (flip, flip_early, truncate, splice, remove, edit, edit, edit, edit, edit)


def mutated(seed: int, files: Sequence[bytes]) -> bytes:
    """The bytes of one case."""
    rng = random.Random(seed)
    data, other = rng.choice(files), rng.choice(files)
    mutation = rng.choice(MUTATIONS)
    return mutation(rng, data, other)


def run(data: bytes, case: int) -> str:
    """Convert in the way that follows from the case and read the file back: what became of it."""
    try:
        convert_and_read_back(api.load(data), case)
    except QConvertError as error:
        return refused(error)
    return "converted"


def main() -> None:
    serve(mutated, run)


if __name__ == "__main__":
    main()
