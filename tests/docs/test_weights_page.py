"""docs/weights.md: its lines run a program and its weights in IREE and in JAX."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from qconvert import Format, convert, load, run, save
from qconvert.engines import stablehlo
from tests.support.onnx_cases import random
from tests.support.paths import FIXTURES, ROOT

SCRIPTS = {
    name: code
    for name in ("iree", "jax")
    for code in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "weights.md").read_text(), re.DOTALL)
    if re.search(rf"^(from|import) {name}\b", code, re.MULTILINE)
}


def cnn() -> bytes | Path:
    return FIXTURES / "digits_cnn_int8.onnx"


def nibbles() -> bytes | Path:
    """Products with weights of 4 bits and scales of columns, and of blocks; floats hold them exactly."""
    packed = random(64 * 64 // 2, dtype=np.uint8).tobytes()
    weights = [helper.make_tensor(f"w{i}", TensorProto.INT4, (64, 64), packed, raw=True) for i in range(2)]
    scales = [
        np.exp2(np.arange(count) % 4).astype(np.float32).reshape(sizes) for count, sizes in ((64, 64), (128, (2, 64)))
    ]
    made = [helper.make_tensor(f"s{i}", TensorProto.FLOAT, each.shape, each) for i, each in enumerate(scales)]
    nodes = [
        helper.make_node("DequantizeLinear", ["w0", "s0"], ["f0"], axis=1),
        helper.make_node("DequantizeLinear", ["w1", "s1"], ["f1"], axis=0, block_size=32),
        helper.make_node("MatMul", ["x", "f0"], ["h"]),
        helper.make_node("MatMul", ["h", "f1"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (3, 64)) for name in "xy"]
    graph = helper.make_graph(nodes, "nibbles", ports[:1], ports[1:], [*weights, *made])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return model.SerializeToString()


def saved(source: bytes | Path, x: NDArray[Any], folder: Path) -> NDArray[Any]:
    """Write a pair and an input under the page's names; return what the program computes."""
    model = load(source)
    save(convert(model, Format.STABLEHLO_INT), folder / "model.mlir", weights=folder / "model.safetensors")
    np.save(folder / "x.npy", x)
    program = load(folder / "model.mlir")
    [result] = run(program, dict.fromkeys(program.input_names, x)).values()
    return result


CASES = [(cnn, (1, 1, 8, 8)), (nibbles, (3, 64))]


@pytest.mark.parametrize("name", [pytest.param("iree", marks=pytest.mark.iree), "jax"])
@pytest.mark.parametrize(("make", "sizes"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_the_pages_lines(
    make: Any, sizes: tuple[int, ...], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(name)
    expected = saved(make(), np.floor(random(*sizes)), tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(SCRIPTS[name], names)
    np.testing.assert_allclose(np.asarray(names["result"]), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.stablehlo
@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.STABLEHLO_QDQ, Format.STABLEHLO_INT])
def test_stablehlos_interpreter_takes_the_program_and_the_arrays(to: Format, tmp_path: Path) -> None:
    program, weights = tmp_path / "p.mlir", tmp_path / "w.safetensors"
    save(convert(load(cnn()), to), program, weights=weights)
    names = re.findall(r'weights\.tensor = "([^"]*)"', program.read_text())
    arrays = load_file(weights)
    image = random(1, 1, 8, 8)
    [[found]] = stablehlo.run_samples(program.read_text(), [[image, *(arrays[name] for name in names)]])
    np.testing.assert_array_equal(found, run(load(program), {"image": image}, engine="stablehlo")["logits"])
