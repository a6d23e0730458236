"""``make bench``: times and memory as ratios against a peer or a limit of the same run; nothing is asserted."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "models" / "onnx"
MODELS = (ROOT / "fixtures" / "digits_cnn_int8.onnx", SHARED / "squeezenet_int8.onnx", SHARED / "ultraface_uint8.onnx")
MEGABYTES = 100
CHUNK = 1 << 20


@dataclass(frozen=True)
class Row:
    """One measurement beside its peer; seconds, or megabytes where the peer is a limit."""

    what: str
    ours: float
    peer: str
    theirs: float | None
    unit: str = "s"

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        ratio = "-" if self.theirs is None else f"{self.ours / self.theirs:.2f}"
        theirs = "-" if self.theirs is None else f"{self.theirs:.2f} {self.unit}"
        return self.what, f"{self.ours:.2f} {self.unit}", self.peer, theirs, ratio


def best(action: Callable[[], object], times: int = 3) -> float:
    """The shortest of several runs in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def command(*arguments: str) -> None:
    """Run a Python module of this environment."""
    subprocess.run([sys.executable, "-m", *arguments], check=True, capture_output=True, cwd=ROOT, env=_environment())


def _environment() -> dict[str, str]:
    """This process's environment, but with compiled bytecode kept, as an installed package has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def peak_of(*arguments: str) -> float:
    """Run a Python module and return the largest memory it held, in megabytes."""
    command_line = [sys.executable, "-m", *arguments]
    process = subprocess.Popen(command_line, stderr=subprocess.DEVNULL, cwd=ROOT, env=_environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return usage.ru_maxrss / 1024


def convert_row(model: Path, out: str) -> Row:
    """The whole command line beside IREE's importer, start-up included."""
    ours = best(lambda: command("qconvert", "convert", str(model), "-o", out))
    theirs = None
    if find_spec("iree.compiler") is not None:
        theirs = best(lambda: command("iree.compiler.tools.import_onnx", str(model), "-o", out))
    return Row(f"convert {model.stem}", ours, "iree-import-onnx", theirs)


def large_model_rows(folder: Path) -> list[Row]:
    """A model of 100 MB of weights: time beside writing their bytes as hex, memory beside 300 MB."""
    model = folder / "large.onnx"
    command("benchmarks.models", str(model), str(MEGABYTES))
    # A child counts its parent's memory at its start as its own peak: nothing large may be held here before.
    ours, peak = [], []
    for _ in range(3):
        start = time.perf_counter()
        peak.append(peak_of("qconvert", "convert", str(model), "-o", str(folder / "large.mlir")))
        ours.append(time.perf_counter() - start)
    weights = np.random.default_rng(0).integers(0, 256, MEGABYTES * 1_000_000, np.uint8)
    theirs = best(lambda: write_hex(weights, folder / "large.hex"))
    return [
        Row(f"convert {MEGABYTES} MB of weights", min(ours), "hex and write the bytes", theirs),
        Row("peak memory of that", max(peak), "limit", 300.0, "MB"),
    ]


def write_hex(weights: np.ndarray[tuple[int], np.dtype[np.uint8]], path: Path) -> None:
    """Write bytes as hexadecimal text, plainly, and wait until they are on the disk, as a conversion does."""
    with path.open("w") as stream:
        for start in range(0, weights.size, CHUNK):
            stream.write(weights[start : start + CHUNK].tobytes().hex())
        stream.flush()
        os.fsync(stream.fileno())


def interpreter_rows() -> list[Row]:
    """The interpreter on one 224 x 224 image of SqueezeNet, beside onnxruntime on one thread, in process."""
    model = SHARED / "squeezenet_int8.onnx"
    if not model.exists():
        return []
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


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out.mlir")
        rows = [
            *large_model_rows(Path(folder)),
            *(convert_row(m, out) for m in MODELS if m.exists()),
            *interpreter_rows(),
        ]
    table = Table("what", "qconvert", "beside", "", "ratio", box=None)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
