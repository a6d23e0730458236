"""Portable artifacts of StableHLO, in and out; hostile ones end in one paragraph, never in a crash."""

from __future__ import annotations

import random
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from qconvert import cli
from qconvert.api import Model, convert, load
from qconvert.api.running import run
from qconvert.api.saving import save
from qconvert.engines.base import EngineName
from qconvert.engines.child import run_tasks
from qconvert.engines.wire import Message
from qconvert.frontends.mlir import load_text
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError, EngineError, EngineMissingError, UsageError
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES

CNN, MLP = FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_mlp_int8.onnx"

pytestmark = pytest.mark.stablehlo


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("artifacts") / "cnn.mlirbc"
    save(convert(load(CNN)), path)
    return path


@pytest.fixture(scope="module")
def model(artifact: Path) -> Model:
    return load(artifact)


def test_text_is_the_same_after_a_round_trip(artifact: Path, model: Model) -> None:
    text = convert(load(CNN)).text
    assert model.text == text
    assert artifact.stat().st_size < len(text) / 2


def test_the_version_is_the_one_asked_for(artifact: Path, tmp_path: Path) -> None:
    assert artifact.read_bytes().startswith(b"ML\xefR\rStableHLO_v1.")
    save(convert(load(MLP)), tmp_path / "old.mlirbc", artifact_version="1.0.0")
    assert b"StableHLO_v1.0.0\0" in (tmp_path / "old.mlirbc").read_bytes()[:32]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("0.9.0", "failed to convert VHLO to v0.9.0"),
        ("99.0.0", "target version 99.0.0 is greater than current version"),
        ("new", "Invalid target version argument 'new'"),
    ],
)
def test_a_version_that_cannot_be_leaves_no_file(model: Model, tmp_path: Path, version: str, message: str) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        save(convert(model), tmp_path / "out.mlirbc", artifact_version=version)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_version_is_for_artifacts(model: Model, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"out.mlir: an artifact's version can be given for .mlirbc files only"):
        save(convert(model), tmp_path / "out.mlir", artifact_version="1.0.0")


def test_it_runs_as_the_source_does(model: Model) -> None:
    image = {"image": read_arrays(FIXTURES / "digits_test.npz")["image"][:1]}
    expected = run(load(CNN), image, engine=EngineName.STABLEHLO)
    for engine in (EngineName.REFERENCE, EngineName.STABLEHLO):
        np.testing.assert_array_equal(run(model, image, engine=engine)["logits"], expected["logits"])


def command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["qconvert", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def test_the_command_line_reads_and_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, cleaned = tmp_path / "cnn.mlirbc", tmp_path / "cleaned.mlirbc"
    assert command(monkeypatch, "convert", CNN, "-o", made, "--artifact-version", "1.9.0") == 0
    assert b"StableHLO_v1.9.0" in made.read_bytes()[:32]
    assert command(monkeypatch, "inspect", made) == 0
    assert "logits: tensor<1x10xf32>" in capsys.readouterr().out
    assert command(monkeypatch, "opt", made, "-p", "cse,dce", "-o", cleaned) == 0
    assert load(cleaned).text == convert(load(CNN)).text


@pytest.mark.parametrize("engine", ["reference", "stablehlo"])
def test_it_is_validated_layer_by_layer(
    artifact: Path, engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--samples", 1, "--engine", engine)
    assert command(monkeypatch, "validate", MLP, artifact, *options) == 1
    assert "is not what converting" in " ".join(capsys.readouterr().out.split())
    assert command(monkeypatch, "validate", CNN, artifact, *options) == 0
    assert "is not what converting" not in " ".join(capsys.readouterr().out.split())


def test_without_the_engine_one_line_says_how_to_get_it(artifact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    converted = convert(load(MLP))

    def version(distribution: str) -> str:
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", version)
    hint = r"jaxlib is missing\): pip install 'qconvert\[stablehlo\]'"
    with pytest.raises(EngineMissingError, match=hint):
        load(artifact)
    with pytest.raises(EngineMissingError, match=hint):
        save(converted, artifact.with_name("other.mlirbc"))
    assert not artifact.with_name("other.mlirbc").exists()


def test_what_only_looks_like_an_artifact_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.mlirbc"
    path.write_bytes(b"ML\xefR and then text")
    with pytest.raises(ConversionError) as caught:
        load(path)
    start = f"{path}: this portable artifact cannot be read: stablehlo engine: "
    assert str(caught.value).startswith(start)
    assert str(caught.value).endswith(". Write it again, or give the module as text")


def mutated(data: bytes, seed: int) -> bytes:
    generator = random.Random(seed)
    changed = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 8))):
        changed[generator.randrange(4, len(changed))] = generator.randrange(256)
    return bytes(changed[: generator.randrange(4, len(changed))] if generator.randrange(5) == 0 else changed)


def test_mutated_artifacts_are_refused_or_read(tmp_path: Path) -> None:
    save(convert(load(MLP)), tmp_path / "mlp.mlirbc")
    data = (tmp_path / "mlp.mlirbc").read_bytes()
    tasks = (Message({"action": "read-artifact"}, blob=mutated(data, seed)) for seed in range(100))
    answers = run_tasks(EngineName.STABLEHLO, tasks)
    refused = [str(answer) for answer in answers if isinstance(answer, EngineError)]
    assert len(refused) > 20
    assert all(len(text) < 2000 and "\n" not in text for text in refused)
    for answer in answers:
        if isinstance(answer, Message):
            assert read_or_refused(answer.blob.decode())


def read_or_refused(text: str) -> bool:
    try:
        load_text(text, "mutated.mlirbc")
    except ConversionError as error:
        return "\n" not in str(error)
    return True


def test_large_constants_reach_the_engine_as_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, apart = tmp_path / "usual.mlirbc", tmp_path / "apart.mlirbc"
    save(convert(load(CNN)), usual)
    monkeypatch.setattr("qconvert.formats.stablehlo._LARGE_BYTES", 0)
    save(convert(load(CNN)), apart)
    image = {"image": read_arrays(FIXTURES / "digits_test.npz")["image"][:1]}
    found, expected = load(apart), load(usual)
    assert (found.input_names, found.output_names) == (expected.input_names, expected.output_names)
    np.testing.assert_array_equal(run(found, image)["logits"], run(expected, image)["logits"])
    assert qconvert("verify", apart).stdout == f"{apart}: valid StableHLO\n"


def test_the_memory_that_a_large_artifact_takes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qconvert.api.saving._NOTED_BYTES", 0)
    beside = "--weights FILE.safetensors keeps the weights beside the program and takes a fraction of that"
    note = f"note: a portable artifact of this model needs about 0.3 GB of memory. {beside}.\n"
    assert note in qconvert("convert", CNN, "-o", tmp_path / "out.mlirbc").stderr
    weights = ("--weights", tmp_path / "w.safetensors")
    assert "GB" not in qconvert("convert", CNN, "-o", tmp_path / "out.mlirbc", *weights).stderr
    assert "GB" not in qconvert("convert", CNN, "-o", tmp_path / "out.mlir").stderr


def test_an_artifact_beyond_the_engines_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qconvert.formats.stablehlo._LARGE_BYTES", 0)
    monkeypatch.setenv("QCONVERT_ENGINE_LIMITS", "memory_bytes=200M")
    message = refused("convert", CNN, "-o", tmp_path / "out.mlirbc")
    assert "needs about 0 GB of memory, beyond the limit memory_bytes" in message
    assert message.endswith("put the weights beside the program (--weights)")
    assert list(tmp_path.iterdir()) == []
