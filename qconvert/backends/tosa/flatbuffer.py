"""A module as the bytes of a .tosa file, by the schema's bindings.

Every field has the value that tosa-opt's ``--tosa-serialize=retain-graph-input-output-names`` gives it: one region and
one block ``main``, tensors and shapes in the order of their names, ``layer_N`` for the result of the Nth op, and zeros
that fill data up to a multiple of 8 bytes. Strings, vectors and tables that are equal are in the file once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.flatbuffer import Behind, Tables
from qconvert.backends.tosa.schema import attributes_of, binding, element_number
from qconvert.backends.tosa.weights import ALIGNMENT, check_int4, check_limit, file_pieces, file_size
from qconvert.dialects import tosa
from qconvert.dialects.port_names import argument_names, result_names
from qconvert.ir import SPECIFICATION, describe, element_type, location_text, place, shape
from qconvert.support.errors import ConversionError
from qconvert.support.file_parts import FileParts
from qconvert.support.names import unused_name

_IDENTIFIER = b"TOSA"
_GRAPH = "main"
_TENSOR_DATA = 10
"""The place of a tensor's field ``data`` in the table's vtable."""
_OP_BYTES = 256
"""Initial bytes for the tables of one op."""


def module_parts(module: ModuleOp, software: str) -> FileParts:
    """Return the file of a module of one function; ``software`` is the version of the schema's library.

    Constants stand behind the tables and are read when they are written. Raises ConversionError for an op or a type
    that the schema lacks, for -8 in 4 bits, and for a file of more than LARGEST bytes.
    """
    [function] = (op for op in module.ops if isinstance(op, FuncOp))
    names = _names(function)
    tensors = _sorted(names, TensorType)
    tables = _tables(function, names, software)
    behind, graph = Behind(tables, ALIGNMENT), binding("TosaGraph").TosaGraph.GetRootAs(tables)
    block = graph.Regions(0).Blocks(0)
    for i, value in enumerate(tensors):
        if isinstance(value.owner, tosa.ConstOp):
            check_int4(value.owner)
            table, values = block.Tensors(i)._tab, value.owner.values
            behind.add(file_size(values), partial(file_pieces, values), table.Pos + table.Offset(_TENSOR_DATA))
    check_limit(behind.end)
    return behind.file


def _names(function: FuncOp) -> dict[SSAValue, str]:
    """Return the name of each value: that of a port, or ``layer_N`` unless a port has this name."""
    block = function.body.block
    assert isinstance(block.last_op, ReturnOp)
    names: dict[SSAValue, str] = dict(zip(block.args, argument_names(function), strict=True))
    returned: dict[SSAValue, str] = dict(zip(block.last_op.operands, result_names(function), strict=True))
    taken = {*names.values(), *returned.values()}
    for i, value in enumerate(value for op in block.ops for value in op.results):
        names[value] = returned.get(value) or unused_name(f"layer_{i}", taken)
    return names


def _sorted(names: Mapping[SSAValue, str], kind: type[Attribute]) -> list[SSAValue]:
    """Return the values of a kind of type in the order of their names."""
    return sorted((value for value in names if isinstance(value.type, kind)), key=lambda value: names[value].encode())


def _tables(function: FuncOp, names: Mapping[SSAValue, str], software: str) -> bytearray:
    """Return the flatbuffer with empty data in place of constants."""
    body, write = function.body.block, Tables(_OP_BYTES * (len(names) + 8), binding)
    assert isinstance(body.last_op, ReturnOp)
    operators = [_operator(write, op, names) for op in body.ops if op is not body.last_op]
    block = write.table(
        "TosaBasicBlock",
        Name=write.string(_GRAPH),
        Operators=write.offsets(operators),
        Tensors=write.offsets([_tensor(write, value, names[value]) for value in _sorted(names, TensorType)]),
        Inputs=write.strings([names[value] for value in body.args]),
        Outputs=write.strings([names[value] for value in body.last_op.operands]),
        Shapes=write.offsets([_shape(write, value, names[value]) for value in _sorted(names, tosa.ShapeType)]),
    )
    region = write.table("TosaRegion", Name=write.string(_GRAPH), Blocks=write.offsets([block]))
    version = _software(write, software)
    root = write.table(
        "TosaGraph",
        Version=_specification(write),
        Regions=write.offsets([region]),
        SoftwareVersion=version,
        Compatibility=write.table("SerializationCompatibility", MinReaderVersion=version),
    )
    return write.finished(root, _IDENTIFIER)


def _specification(write: Tables) -> int:
    major, minor = map(int, SPECIFICATION.split("."))
    return write.table("Version", _Major=major, _Minor=minor, _Patch=0, _Draft=False)


def _software(write: Tables, software: str) -> int:
    """Write the version of the library, which readers must not be older than; it may end in a modifier."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(.*)", software)
    assert found is not None
    major, minor, micro, modifier = found.groups(default="0")
    numbers = {"_Major": int(major), "_Minor": int(minor), "_Micro": int(micro)}
    return write.table("SoftwareVersion", **numbers, _Modifier=write.string(modifier))


def _operator(write: Tables, op: Operation, names: Mapping[SSAValue, str]) -> int:
    try:
        attributes = attributes_of(op)
    except ConversionError as error:
        raise error.located(node=describe(op), op=op.name, file=place(op)) from error
    fields = {name: write.field(value) for name, value in attributes.fields.items()}
    return write.table(
        "TosaOperator",
        Op=attributes.number,
        AttributeType=attributes.number,
        Attribute=write.table(attributes.table, **fields),
        Inputs=write.strings([names[value] for value in op.operands]),
        Outputs=write.strings([names[value] for value in op.results]),
        Location=write.table("OpLocation", Text=write.string(location_text(op.location))),
    )


def _tensor(write: Tables, value: SSAValue, name: str) -> int:
    return write.table(
        "TosaTensor",
        Name=write.string(name),
        Shape=write.integers(shape(value)),
        Type=element_number(element_type(value)),
        Data=write.data(b""),
        VariableName=write.string(""),
        ScaleData=write.data(b""),
    )


def _shape(write: Tables, value: SSAValue, name: str) -> int:
    sizes = np.asarray(tosa.sizes_of(value), "<i8")
    return write.table("TosaShape", Name=write.string(name), Rank=sizes.size, Data=write.data(sizes.tobytes()))
