"""Operators that move, repeat or select elements."""

from __future__ import annotations

import math

import numpy as np

from tests.graphs.network import Drawing, MisfitError, Raw, Shape, integers, number
from tests.graphs.operators.registry import operator


@operator("transpose", 3)
def transposition(net: Drawing, x: str, shape: Shape) -> str:
    """Transpose by a random permutation, or to and from channels last."""
    rank = len(shape)
    if rank < 2:
        raise MisfitError
    order = [int(i) for i in net.rng.permutation(rank)]
    if rank > 2 and net.chance(0.5):
        order = net.one_of([0, *range(2, rank), 1], [0, rank - 1, *range(1, rank - 1)])
    return net.add("Transpose", [x], keeps=net.chance(0.8), perm=order)[0]


@operator("reshape", 3)
def reshaping(net: Drawing, x: str, shape: Shape) -> str:
    """Flatten, or Reshape: two dimensions joined, one taken apart, or all in another order of sizes."""
    way = net.one_of("flatten", "join", "apart", "permuted", "one")
    keeps = net.chance(0.8)
    if way == "flatten":
        return net.add("Flatten", [x], keeps=keeps, axis=net.number(0, len(shape)))[0]
    at = net.number(0, len(shape) - 1)
    result: list[int] = [int(size) for size in net.rng.permutation(shape)]
    if way == "one":
        result = [1, math.prod(shape)] if net.chance(0.6) else [math.prod(shape)]
    if way == "join" and at + 1 < len(shape):
        result = [*shape[:at], -1, *shape[at + 2 :]]
    if way == "apart":
        parts = [d for d in range(2, shape[at]) if shape[at] % d == 0]
        if not parts or len(shape) > 4:
            raise MisfitError
        divisor = net.one_of(*parts)
        result = [*shape[:at], divisor, shape[at] // divisor, *shape[at + 1 :]]
    return net.add("Reshape", [x, integers(*result)], keeps=keeps)[0]


@operator("unit_dimension", 2)
def unit_dimension(net: Drawing, x: str, shape: Shape) -> str:
    """Squeeze or Unsqueeze."""
    keeps = net.chance(0.8)
    units = [i for i, size in enumerate(shape) if size == 1]
    if units and net.chance(0.6):
        return net.add("Squeeze", [x, integers(net.one_of(*units))], keeps=keeps)[0]
    if len(shape) > 4:
        raise MisfitError
    return net.add("Unsqueeze", [x, integers(net.number(0, len(shape)))], keeps=keeps)[0]


@operator("repeat", 3)
def repetition(net: Drawing, x: str, shape: Shape) -> str:
    """Tile, or Expand of dimensions of size 1 and of new ones."""
    counts = [net.number(2, 3) if net.chance(0.4) else 1 for _ in shape]
    if net.chance(0.5):
        return net.add("Tile", [x, integers(*counts)], keeps=net.chance(0.8))[0]
    sizes = [size if size > 1 else count for size, count in zip(shape, counts, strict=True)]
    if net.chance(0.3) and len(shape) < 5:
        sizes = [2, *sizes]
    return net.add("Expand", [x, integers(*sizes)], keeps=net.chance(0.8))[0]


@operator("blocks", 2)
def blocks(net: Drawing, x: str, shape: Shape) -> str:
    """DepthToSpace in both orders, SpaceToDepth."""
    if len(shape) != 4:
        raise MisfitError
    _, channels, height, width = shape
    if channels % 4 == 0:
        mode = net.one_of("DCR", "CRD")
        return net.add("DepthToSpace", [x], keeps=net.chance(0.8), blocksize=2, mode=mode)[0]
    if height % 2 or width % 2:
        raise MisfitError
    return net.add("SpaceToDepth", [x], keeps=net.chance(0.8), blocksize=2)[0]


@operator("slice", 2)
def slicing(net: Drawing, x: str, shape: Shape) -> str:
    """Slice of one axis or several, with steps, backwards as well."""
    count = net.number(1, min(2, len(shape)))
    axes = [int(i) for i in net.rng.choice(len(shape), count, replace=False)]
    starts, ends, steps = [], [], []
    for axis in axes:
        backwards = net.chance(0.2)
        first = net.number(0, max(0, shape[axis] // 2 - 1))
        starts.append(shape[axis] - 1 - first if backwards else first)
        ends.append(-(10**9) if backwards else net.number(first + 1, shape[axis]))
        steps.append(-net.number(1, 2) if backwards else net.number(1, 2))
    parts = [integers(*values) for values in (starts, ends, axes, steps)]
    return net.add("Slice", [x, *parts], keeps=net.chance(0.8))[0]


@operator("pad", 2)
def padding(net: Drawing, x: str, shape: Shape) -> str:
    """Pad in every mode; constants other than 0 as well."""
    rank, mode = len(shape), net.one_of("constant", "constant", "edge", "reflect")
    pads = [net.number(0, 2) if net.chance(0.5) and shape[i % rank] > 2 else 0 for i in range(2 * rank)]
    value = [number(net.one_of(0.0, 0.5, -1.0))] if mode == "constant" and net.chance(0.5) else []
    return net.add("Pad", [x, integers(*pads), *value], keeps=net.chance(0.8) and not value, mode=mode)[0]


@operator("concatenation", 3)
def concatenation(net: Drawing, x: str, shape: Shape) -> str:
    """Concat of two or three values, which may be alike along one axis only."""
    axis = net.number(0, len(shape) - 1)
    fits = [
        name
        for name in net.free
        if len(net.shapes[name]) == len(shape)
        and all(a == b for i, (a, b) in enumerate(zip(net.shapes[name], shape, strict=True)) if i != axis)
    ]
    parts = [x, *(str(net.one_of(*fits)) for _ in range(net.number(1, 2)))]
    if net.chance(0.3):
        parts.reverse()
    return net.add("Concat", parts, keeps=net.chance(0.3), axis=axis - (len(shape) if net.chance(0.2) else 0))[0]


@operator("split", 2)
def splitting(net: Drawing, x: str, shape: Shape) -> list[str]:
    """Split in two or three parts, alike or not."""
    axis = net.number(0, len(shape) - 1)
    if shape[axis] < 2:
        raise MisfitError
    count = net.number(2, min(3, shape[axis]))
    if shape[axis] % count == 0 and net.chance(0.5):
        return net.add("Split", [x], keeps=net.chance(0.8), count=count, axis=axis, num_outputs=count)
    first = net.number(1, shape[axis] - 1)
    sizes = integers(first, shape[axis] - first)
    return net.add("Split", [x, sizes], keeps=net.chance(0.8), count=2, axis=axis)


@operator("selection", 2)
def selection(net: Drawing, x: str, shape: Shape) -> str:
    """Gather: a few indices that repeat, each one once more, a matrix of them, or a single one."""
    axis = net.number(0, len(shape) - 1)
    found = net.rng.integers(0, shape[axis], net.one_of((3,), (5,), (2, 2), ()))
    if net.chance(0.3):
        found = np.repeat(np.arange(shape[axis]), 2)
    indices = Raw(np.asarray(found, np.int64))
    return net.add("Gather", [x, indices], keeps=net.chance(0.8), axis=axis)[0]


@operator("selection")
def element_selection(net: Drawing, x: str, shape: Shape) -> str:
    """GatherElements along an axis."""
    axis = net.number(0, len(shape) - 1)
    indices = Raw(net.rng.integers(0, shape[axis], shape))
    return net.add("GatherElements", [x, indices], keeps=net.chance(0.8), axis=axis)[0]


@operator("selection")
def place_selection(net: Drawing, x: str, shape: Shape) -> str:
    """GatherND by constant positions, along the first dimensions or behind a batch."""
    if not shape:
        raise MisfitError
    batch = 1 if len(shape) > 1 and net.chance(0.3) else 0
    depth = net.number(1, min(2, len(shape) - batch))
    lead = [shape[0]] if batch else []
    parts = [net.rng.integers(0, size, [*lead, 4]) for size in shape[batch : batch + depth]]
    positions = Raw(np.stack(parts, -1).astype(np.int64))
    return net.add("GatherND", [x, positions], keeps=net.chance(0.8), batch_dims=batch)[0]


@operator("resize", 4)
def resizing(net: Drawing, x: str, shape: Shape) -> str:
    """Resize of the spatial dimensions, nearest or linear, by whole and other factors."""
    if len(shape) not in (3, 4):
        raise MisfitError
    mode = net.one_of("nearest", "nearest", "linear")
    ways = ("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel")
    attributes = {"mode": mode, "coordinate_transformation_mode": str(net.one_of(*ways))}
    if mode == "nearest":
        attributes["nearest_mode"] = str(net.one_of("floor", "round_prefer_floor", "round_prefer_ceil"))
    keeps = mode == "nearest" and net.chance(0.8)
    factors = [1.0, 1.0, *(float(net.one_of(1, 2, 2, 3)) for _ in shape[2:])]
    if net.chance(0.7):
        return net.add("Resize", [x, None, Raw(np.asarray(factors, np.float32))], keeps=keeps, **attributes)[0]
    sizes = integers(*shape[:2], *(size + net.number(0, size) for size in shape[2:]))
    return net.add("Resize", [x, None, None, sizes], keeps=keeps, **attributes)[0]
