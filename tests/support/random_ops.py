"""Single quantized ops on random types."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from qconvert.dialects import stablehlo
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import numpy_dtype
from tests.support.tosa_rescales import Array

COUNT = 2000
STORAGES = (
    Storage.full(8, signed=True),
    Storage.full(8, signed=False),
    Storage.full(16, signed=True),
    Storage.full(4, signed=True),
    Storage(8, True, -127, 127),
)
KINDS: dict[type[Operation], int] = {
    stablehlo.AbsOp: 1,
    stablehlo.NegateOp: 1,
    stablehlo.UniformQuantizeOp: 1,
    stablehlo.AddOp: 2,
    stablehlo.SubtractOp: 2,
    stablehlo.MultiplyOp: 2,
    stablehlo.DivideOp: 2,
    stablehlo.MaximumOp: 2,
    stablehlo.MinimumOp: 2,
}


def random_type(rng: np.random.Generator, storage: Storage) -> UniformQuantizedType:
    """Return a type of the storage with a random scale and zero point."""
    zero_point = int(rng.integers(storage.minimum, storage.maximum + 1)) if rng.random() < 0.7 else storage.minimum
    if rng.random() < 0.3:
        zero_point = max(storage.minimum, 0)
    return UniformQuantizedType.per_tensor(storage, math.exp(rng.uniform(-6, 2)), zero_point)


def module_of(kind: type[Operation], operands: Sequence[Attribute], result: Attribute) -> ModuleOp:
    """Return a module of one op on vectors."""
    block = Block(arg_types=[TensorType(element, (COUNT,)) for element in operands])
    op = kind.create(operands=block.args, result_types=[TensorType(result, (COUNT,))])
    block.add_ops([op, ReturnOp(op.results[0])])
    type = FunctionType.from_lists(block.arg_types, op.result_types)
    return ModuleOp([FuncOp("main", type, Region(block))])


def random_case(rng: np.random.Generator, kind: type[Operation], storage: Storage) -> tuple[ModuleOp, list[Array]]:
    """Return an op on random types of one storage, and random integers for it."""
    *operands, result = (random_type(rng, storage) for _ in range(KINDS[kind] + 1))
    dtype = numpy_dtype(result)
    inputs = [rng.integers(storage.minimum, storage.maximum + 1, COUNT).astype(dtype) for _ in operands]
    return module_of(kind, operands, result), inputs
