"""``run``: outputs in a file, random samples, and the checks of MLIR text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from qconvert import load
from qconvert.support.arrays import read_arrays
from qconvert.validation.sampling.samples import arguments as inputs_of
from qconvert.validation.sampling.samples import random_samples
from tests.cli.test_commands import ASSUMED
from tests.support.commands import qconvert, refused
from tests.support.paths import IMAGES, MLP


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "image.npz"
    np.savez(path, image=read_arrays(IMAGES)["image"][:1])
    return path


def test_run_writes_the_outputs(tmp_path: Path, image: Path) -> None:
    engines = ("reference", "onnxruntime")
    for engine in engines:
        qconvert("run", MLP, "--inputs", image, "-o", tmp_path / f"{engine}.npz", "--engine", engine)
    ours, theirs = (read_arrays(tmp_path / f"{engine}.npz") for engine in engines)
    assert list(ours) == ["logits"]
    np.testing.assert_array_equal(ours["logits"], theirs["logits"])


@pytest.mark.stablehlo
def test_run_on_stablehlo_text(tmp_path: Path, image: Path) -> None:
    qconvert("convert", MLP, "-o", tmp_path / "mlp.mlir", "--exact-rounding")
    for engine in ("reference", "stablehlo"):
        qconvert("run", tmp_path / "mlp.mlir", "--inputs", image, "-o", tmp_path / f"{engine}.npz", "--engine", engine)
    ours, theirs = (read_arrays(tmp_path / f"{engine}.npz") for engine in ("reference", "stablehlo"))
    np.testing.assert_array_equal(ours["logits"], theirs["logits"])


def test_run_draws_the_sample_that_validate_draws(tmp_path: Path) -> None:
    """Without inputs the model runs on the first random sample of the seed; without an output a line describes it."""
    model = load(MLP)
    ports = inputs_of(model.module, model.input_names)
    for seed in (0, 3):
        [sample] = random_samples(ports, 1, seed)
        np.savez(tmp_path / "in.npz", **sample)
        options = ("--seed", str(seed)) if seed else ()
        note = f"{ASSUMED}note: the inputs are random, with seed {seed}. --inputs IN.npz gives others\n"
        assert qconvert("run", MLP, "-o", tmp_path / "random.npz", *options).stderr == note
        qconvert("run", MLP, "--inputs", tmp_path / "in.npz", "-o", tmp_path / "given.npz")
        drawn, given = read_arrays(tmp_path / "random.npz")["logits"], read_arrays(tmp_path / "given.npz")["logits"]
        np.testing.assert_array_equal(drawn, given)
    line = qconvert("run", MLP).stdout
    assert re.fullmatch(r"logits: float32 \[1, 10\], -?[\d.]+ to [\d.]+\n", line)


@pytest.mark.row("U13")
def test_run_refusals(tmp_path: Path, image: Path) -> None:
    out = tmp_path / "out.npz"
    np.save(tmp_path / "one.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", picture=np.zeros(3))
    np.savez(tmp_path / "double.npz", image=np.zeros((1, 1, 8, 8)))
    (tmp_path / "empty.npz").touch()
    for name, message in {
        "none.npz": "none.npz: cannot be read: No such file or directory",
        "one.npy": "one.npy: this is a single .npy array; write arrays by name with np.savez",
        "empty.npz": "empty.npz: this is not an .npz file of plain arrays",
        "other.npz": "no array for input 'image': the arrays given are 'picture'",
        "double.npz": "input 0 is float64[1, 1, 8, 8], the model takes tensor<1x1x8x8xf32>",
    }.items():
        assert refused("run", MLP, "--inputs", tmp_path / name, "-o", out).endswith(message)
    assert not out.exists()


CHECKS = """
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  check.expect_eq_const %0, dense<[1.0, 2.5, 3.5]> : tensor<3xf32>
  return
}
// -----
func.func @other() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  check.expect_almost_eq_const %0, dense<[1.0, 2.5, 3.0]> : tensor<3xf32>, tolerance = 0.5
  return
}
"""


def test_a_failed_check_is_status_1_and_says_where() -> None:
    done = qconvert("run", "-", given=CHECKS.encode(), status=1)
    assert done.stdout == "1 of 2 functions passed\n"
    assert done.stderr == (
        "failed: <stdin>:4:3: check.expect_eq_const: 2 of 3 elements differ, first at [1]: 2.0, expected 2.5\n"
    )


def test_passed_checks_are_counted() -> None:
    assert qconvert("run", "-", given=CHECKS.replace("2.5, 3.5", "2.0, 3.0").encode()).stdout == (
        "2 of 2 functions passed\n"
    )


def test_run_without_inputs_needs_a_program_without_arguments(tmp_path: Path) -> None:
    path = tmp_path / "identity.mlir"
    path.write_text("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }")
    assert refused("run", path) == f"{path}: @main takes arguments. Give them with --inputs"
    assert refused("run", path, "--inputs", path) == "run needs -o OUT.npz for the outputs"
