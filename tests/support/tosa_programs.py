"""Modules of many small TOSA programs: arguments and results in order, random inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir.types import numpy_dtype


def argument(block: Block, element: Attribute, sizes: Sequence[int]) -> SSAValue:
    """One more argument of the block."""
    return block.insert_arg(TensorType(element, [int(size) for size in sizes]), len(block.args))


def module_of(block: Block, build: OpBuilder | TosaBuilder, values: list[SSAValue]) -> ModuleOp:
    block.add_ops([*build.ops, ReturnOp(*values)])
    type = FunctionType.from_lists([a.type for a in block.args], [value.type for value in values])
    return ModuleOp([FuncOp("main", type, Region(block))])


def random_inputs(rng: np.random.Generator, block: Block) -> list[np.ndarray]:
    arrays = []
    for argument in block.args:
        dtype = numpy_dtype(argument.type.element_type)
        limits = np.iinfo(dtype) if dtype.itemsize < 4 else np.iinfo(np.int16)
        arrays.append(rng.integers(limits.min, limits.max + 1, argument.type.get_shape()).astype(dtype))
    return arrays


def extremes(rng: np.random.Generator, block: Block) -> list[NDArray[Any]]:
    """Integers at the ends of the arguments' types and around 0."""
    arrays = []
    for array in random_inputs(rng, block):
        limits = np.iinfo(array.dtype)
        arrays.append(rng.choice([limits.min, -1, 0, 1, limits.max], array.shape).astype(array.dtype))
    return arrays
