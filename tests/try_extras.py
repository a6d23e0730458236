"""Tries the wheel with each Python and each single extra: ``make test-extras``.

Each pair gets an environment of its own, as ``pip install`` gives it, in which the package is imported, the commands of
``make demo`` and one conversion that needs the extra run. Prints a line for each pair; the status is 1 if one fails.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "extras"
IMAGES = ROOT / "fixtures" / "digits_test.npz"
CNN = ROOT / "fixtures" / "digits_cnn_int8.onnx"
OTHERS = ("all", "dev", "docs", "fuzz")
"""Extras that contain others, or are for the repository."""
JUDGED = ["--samples", "2"]
CONVERSIONS = {
    "core": ["convert", str(CNN), "-o", "out.tosa.mlir"],
    "stablehlo": ["validate", str(CNN), "--engine", "stablehlo", *JUDGED],
    "tosa": ["validate", str(CNN), "--to", "tosa", "--engine", "tosa", *JUDGED],
    "iree": ["validate", str(CNN), "--to", "stablehlo-int", "--engine", "iree", *JUDGED],
    "litert": ["validate", str(CNN), "--to", "tflite", "--engine", "litert", *JUDGED],
    "npu": ["inspect", str(CNN), "--npu", "ethos-u55-128"],
    "weights": ["convert", str(CNN), "-o", "out.mlir", "--weights", "out.safetensors"],
    "cluster": ["batch", "plan.toml", "-o", "results"],
}
PLAN = f'models = ["{CNN}"]\ntargets = ["stablehlo"]\ninputs.samples = 2\n'


def wheel() -> Path:
    """Build the wheel and return its path."""
    shutil.rmtree(BUILD, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(BUILD), str(ROOT)]
    subprocess.run(command, check=True)
    return next(BUILD.glob("*.whl"))


def tried(version: str, extra: str, file: Path) -> str:
    """Return an empty text if all commands succeed, else the first that does not and its message."""
    folder = BUILD / f"{version}-{extra}"
    python = folder / "bin" / "python"
    wanted = str(file) if extra == "core" else f"{file}[{extra}]"
    qconvert = [str(python), "-m", "qconvert"]
    commands = [
        [f"python{version}", "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q", wanted],
        [str(python), "-c", "import qconvert; qconvert.convert"],
        [*qconvert, "convert", str(CNN), "-o", "demo.stablehlo.mlir"],
        [*qconvert, "validate", str(CNN), "demo.stablehlo.mlir", "--inputs", str(IMAGES), "--per-layer"],
        [*qconvert, *CONVERSIONS[extra]],
    ]
    folder.mkdir(parents=True)
    (folder / "plan.toml").write_text(PLAN)
    for command in commands:
        done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(command)}: status {done.returncode}: {(done.stderr or done.stdout)[-400:]}"
    shutil.rmtree(folder)
    return ""


def main(versions: list[str]) -> int:
    """Try all pairs; return the number of those that failed."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    file, failed = wheel(), 0
    for version in versions:
        for extra in ("core", *(name for name in extras if name not in OTHERS)):
            start = time.monotonic()
            problem = tried(version, extra, file)
            failed += bool(problem)
            print(f"{version} {extra:10} {time.monotonic() - start:6.1f} s  {problem or 'passed'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
