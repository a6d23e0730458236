"""GatherND of ONNX, and LRN, beside onnxruntime."""

from __future__ import annotations

import numpy as np

from tests.support.onnx_cases import Array, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, Within

INT8 = Quantization(0.05, 3, np.int8)


def positions(*shape: int, below: tuple[int, ...], seed: int = 0) -> Array:
    """Return random positions in dimensions of sizes ``below``, some of them counted from the end."""
    generator = np.random.default_rng(seed)
    return np.stack([generator.integers(-size, size, shape) for size in below], -1).astype(np.int64)


GATHERED = {
    "elements": ((4, 5), positions(7, below=(4, 5)), 0),
    "rows": ((4, 5, 3), positions(2, 3, below=(4,)), 0),
    "one": ((4, 5), positions(below=(4, 5)), 0),
    "of four dimensions": ((2, 3, 4, 5), positions(3, 2, below=(2, 3, 4)), 0),
    "in batches": ((2, 6, 4), positions(2, 3, below=(6,)), 1),
    "in batches of two dimensions": ((2, 3, 6, 4), positions(2, 3, 5, below=(6, 4)), 2),
}
IN_TOSA = Within(1e-5, 1e-6)

ONNX: dict[str, Row] = {
    **{
        f"GatherND {name} {kind.__name__}": Row(
            one_op("GatherND", [random(*sizes), kind(indices)], batch_dims=batch), tosa=EXACT
        )
        for name, (sizes, indices, batch) in GATHERED.items()
        for kind in (np.asarray, Known)
    },
    "GatherND of integers": Row(one_op("GatherND", [random(4, 5, dtype=np.int32), positions(6, below=(4, 5))])),
    "GatherND of quantized values": Row(
        one_op("GatherND", [Quantized(random(4, 5, dtype=np.int8), INT8), positions(6, below=(4,))], result=INT8),
        tosa=EXACT,
    ),
    "GatherND opset 11": Row(one_op("GatherND", [random(4, 5), positions(6, below=(4,))], opset=11)),
    **{
        f"LRN {size} {sizes}": Row(
            one_op("LRN", [random(*sizes)], size=size, alpha=0.01, beta=0.6, bias=1.5), Within(1e-6, 1e-7), tosa=IN_TOSA
        )
        for size, sizes in ((5, (2, 8, 5, 4)), (1, (2, 3, 4, 4)), (9, (2, 6, 3, 3)))
    },
    "LRN with defaults": Row(one_op("LRN", [random(1, 6, 5, 5)], size=3), Within(1e-6, 1e-7), tosa=IN_TOSA),
}
