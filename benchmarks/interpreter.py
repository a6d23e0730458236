"""The interpreter in process, beside real runtimes on one thread."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.measure import SHARED, Row, best
from qconvert.engines.workers import NO_TELEMETRY


def interpreter_rows() -> list[Row]:
    """One 224 x 224 image through SqueezeNet, beside onnxruntime."""
    model = SHARED / "squeezenet_int8.onnx"
    if not model.exists():
        return []
    os.environ.update(NO_TELEMETRY)
    import onnxruntime

    from qconvert import convert, load
    from qconvert.interpreter import evaluate

    image = np.random.default_rng(0).uniform(-1, 1, (1, 3, 224, 224)).astype(np.float32)
    fused = convert(load(model)).fused
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    ours = best(lambda: evaluate(fused, [image]))
    theirs = best(lambda: session.run(None, {name: image}))
    return [Row("interpret squeezenet_int8, one image", ours, "onnxruntime, unoptimised", theirs)]
