"""Mutations of ONNX models: operators, tensors' names, attributes, initializers, shapes, nodes of other models."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError, Message
from onnx import AttributeProto, GraphProto, ModelProto, TensorProto, helper, numpy_helper

from fuzz.mutators.raw import FLOATS, INTEGERS, NAMES, RAW, Mutation, one_of
from qconvert.frontends.onnx.context import OPERATORS

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


def adopt(rng: random.Random, graph: GraphProto, other: GraphProto) -> None:
    """Add a node of another model with the constants it needs; its first input becomes a tensor of this model."""
    if not other.node:
        return
    node = graph.node.add()
    node.CopyFrom(rng.choice(other.node))
    held = {tensor.name for tensor in graph.initializer}
    graph.initializer.extend(t for t in other.initializer if t.name in node.input and t.name not in held)
    if node.input:
        node.input[0] = rng.choice(_tensor_names(graph))
    if node.output and rng.randrange(3):
        graph.output.add(name=node.output[0])


def nest(rng: random.Random, graph: GraphProto, other: GraphProto) -> None:
    """Give a node the other model's graph as an attribute."""
    name = rng.choice(("then_branch", "else_branch", "body"))
    rng.choice(graph.node).attribute.append(helper.make_attribute(name, other))


def edit_field(rng: random.Random, model: Message) -> None:
    """Change any field of any message in the model: set another value, add or remove an element, or clear it."""
    message, field = rng.choice(list(_fields(model)))
    value = getattr(message, field.name)
    if not field.is_repeated:
        if field.message_type or not rng.randrange(3):
            message.ClearField(field.name)
        else:
            setattr(message, field.name, _scalar(rng, field, value))
    elif not field.message_type and rng.randrange(2):
        value[rng.randrange(len(value))] = _scalar(rng, field, value[0])
    elif rng.randrange(2):
        del value[rng.randrange(len(value))]
    else:
        value.extend([rng.choice(list(value))])


def _fields(message: Message) -> Iterator[tuple[Any, Any]]:
    """Yield each field that is set, with the message that holds it."""
    for field, value in message.ListFields():
        yield message, field
        if field.message_type:
            for part in value if field.is_repeated else (value,):
                yield from _fields(part)


def _scalar(rng: random.Random, field: Any, value: object) -> Any:
    if field.enum_type:
        return rng.choice(field.enum_type.values).number
    match value:
        case bytes():
            return rng.choice((b"", b"\xff\xfe", b"x", value[: len(value) // 2], value * 2))
        case str():
            return rng.choice((*NAMES, value + "_"))
        case float():
            return rng.choice(FLOATS)
        case _:
            return rng.choice((0, 1, 2, 3, 7, 127, 2**31 - 1))  # integers of 32 bits take these, too


def edit(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change a few parts of a model; a model that cannot be parsed is replaced by the other."""
    try:
        model, second = ModelProto.FromString(data), ModelProto.FromString(other)
    except DecodeError:
        return other
    for _i in range(rng.choice((1, 1, 1, 1, 2))):
        if not (model.graph.node and model.graph.input):
            break
        match rng.randrange(12):
            case 0 | 1:
                adopt(rng, model.graph, second.graph)
            case 2 | 3:
                edit_field(rng, model)
            case 4 if not rng.randrange(3):
                nest(rng, model.graph, second.graph)
            case _:
                rng.choice(EDITS)(rng, model.graph)
    if model.opset_import and not rng.randrange(30):
        model.opset_import[0].version = rng.choice((*INTEGERS, *range(7, 26)))
    return bytes(model.SerializeToString())


def smaller(data: bytes) -> Iterator[bytes]:
    """Yield the model without one of its fields or elements, those with the most bytes first."""
    model = ModelProto.FromString(data)
    places = [(m, f, i) for m, f in _fields(model) for i in range(len(getattr(m, f.name)) if f.is_repeated else 1)]
    for message, field, index in places:
        kept = type(message).FromString(message.SerializePartialToString())
        if field.is_repeated:
            del getattr(message, field.name)[index]
        else:
            message.ClearField(field.name)
        yield bytes(model.SerializeToString())
        message.CopyFrom(kept)


mutate: Mutation = one_of((*RAW, *(edit,) * 24))
