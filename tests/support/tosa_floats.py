"""A program of TOSA's float ops, which every format that TOSA converts to computes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder
from qconvert.ir import f32, i8, i32, shape
from tests.support.tosa_programs import argument, module_of

UNARY: tuple[type[tosa.UnaryOp], ...] = (
    tosa.CeilOp,
    tosa.CosOp,
    tosa.ExpOp,
    tosa.FloorOp,
    tosa.LogOp,
    tosa.ReciprocalOp,
    tosa.RsqrtOp,
    tosa.SigmoidOp,
    tosa.SinOp,
    tosa.TanhOp,
)
OF_FLOATS: set[type[Operation]] = {*UNARY, tosa.PowOp, tosa.ReduceProductOp}

More = Callable[[TosaBuilder, SSAValue, SSAValue], list[SSAValue]]


def float_program(more: More | None = None) -> tuple[ModuleOp, list[NDArray[np.float32]]]:
    """The program with inputs for it; ``more`` adds results of the matrix and the image that are its arguments."""
    block, build, rng = Block(), TosaBuilder(), np.random.default_rng(3)
    x, image = argument(block, f32, (2, 3, 5)), argument(block, f32, (1, 4, 4, 2))
    window, zero = tosa.ConvWindow((1, 0, 0, 1), (1, 1), (1, 1)), build.zero_point(0, f32)
    weight, bias = build.constant(rng.normal(size=(3, 2, 2, 2)), f32), build.constant(np.ones(3), f32)
    sizes = [build.shape(values) for values in ((4, 2, 4, 2), (0, 0), (2, 2))]
    made = [build.add(kind(x)) for kind in UNARY]
    made += [build.add(tosa.PowOp(x, x)), build.add(tosa.ReduceProductOp(x, 1)), build.add(tosa.ReduceMaxOp(x, 2))]
    made += [build.add(tosa.CastOp(x, element)) for element in (i8, i32)]
    made += [
        build.add(tosa.NegateOp(x, zero, zero)),
        build.add(tosa.AvgPool2DOp((image, zero, zero), (2, 2), window, f32)),
        build.add(tosa.Conv2DOp((image, weight, bias, zero, zero), window, f32)),
    ]
    made += [build.add(tosa.ResizeOp(image, *sizes, mode)) for mode in tosa.ResizeMode]
    if more is not None:
        made += more(build, x, image)
    inputs = [rng.uniform(0.1, 3, shape(value)).astype(np.float32) for value in (x, image)]
    return module_of(block, build, made), inputs
