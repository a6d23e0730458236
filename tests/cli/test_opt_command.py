"""``qconvert opt``: the passes of a conversion, seen one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, convert, load, transform
from qconvert.api.conversion import transform_for
from qconvert.dialects import stablehlo
from qconvert.ir import module_text
from qconvert.passes import PASSES, described, listing, make_pass
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.rewriting import Pass, PassResult, run_passes
from qconvert.support.errors import ConversionError
from qconvert.validation.pass_by_pass import PassByPass, PassEffect
from tests.support.commands import qconvert, refused
from tests.support.paths import FIXTURES, MLP

CNN = FIXTURES / "digits_cnn_int8.onnx"
IMAGES = FIXTURES / "digits_test.npz"


def test_the_list_has_every_pass_in_its_folder_with_a_sentence() -> None:
    assert {each.name for each in described()} == set(PASSES)
    for each in described():
        assert type(make_pass(each.name)).__module__.startswith(each.folder.replace("/", ".") + ".")
        assert re.fullmatch(r"[A-Z].+[.]", each.sentence), each
    assert qconvert("opt", "--list").stdout == listing() + "\n"
    assert "qconvert/passes/cleanup/\n  cse " in listing()


class Names:
    """The names of the passes that ran."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, step: Pass, _: ModuleOp, __: PassResult) -> None:
        self.names.append(step.name)


@pytest.mark.quick(2)
@pytest.mark.parametrize("to", Format)
def test_a_pipeline_is_what_convert_runs(to: Format, tmp_path: Path) -> None:
    """Whatever runs passes during a conversion is seen: the names are taken from ``apply`` itself here."""
    applied: list[str] = []
    with mock.patch("qconvert.rewriting.base._named", lambda result, name: applied.append(name) or result):
        converted = convert(load(str(MLP)), to)
    seen = Names()
    transformed = transform_for(load(str(MLP)), to, after=seen)
    assert seen.names == applied
    assert set(applied) <= set(PASSES)
    out = tmp_path / "out.mlir"
    printed = qconvert("opt", MLP, "--pipeline", to, "-o", out).stderr
    lines = [line.split() for line in printed.splitlines() if not line.startswith("note: ")]
    assert [line[0] for line in lines] == applied
    assert all(line[1] == "unchanged" or line[2] == "ops" for line in lines)
    assert out.read_text() == transformed.text
    if converted.content is None:
        assert converted.text == transformed.text


def test_options_of_the_format_choose_passes() -> None:
    assert "nhwc-io" not in qconvert("opt", MLP, "--pipeline", "tosa").stderr
    assert "nhwc-io" in qconvert("opt", MLP, "--pipeline", "tosa", "--nhwc-io").stderr
    assert refused("opt", MLP, "-p", "fold", "--nhwc-io") == "options of a format need --pipeline FORMAT"


def test_passes_and_a_pipeline_exclude_each_other() -> None:
    error = "give either -p PASS,.. or --pipeline FORMAT"
    assert refused("opt", MLP) == error
    assert refused("opt", MLP, "-p", "fold", "--pipeline", "tosa") == error
    assert refused("opt", MLP, "--pipeline", "tosa", "--target", "tosa-int8") == "--target is for passes of -p"


def dumps(text: str) -> dict[str, str]:
    """Return the modules that were printed, by the pass of the header; the last one of each name."""
    found = re.split(r"^// -----// IR Dump After (\S+) //----- //\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("command", [["convert", "-o", "-", "--to", "tosa"], ["opt", "--pipeline", "tosa", "-q"]])
def test_modules_are_printed_after_passes_that_changed_them(command: list[str]) -> None:
    done = qconvert(command[0], MLP, *command[1:], "--print-after", "changed")
    printed = dumps(done.stderr)
    assert next(iter(printed)) == "fold"
    assert "stablehlo.dot_general" in printed["legalize-qdq-to-quantized-op"]
    assert "tosa.rescale" in printed["stablehlo-to-tosa"]
    assert "hybridize" not in printed
    [last] = list(printed.values())[-1:]
    assert last.partition("note: ")[0] in done.stdout


def test_the_module_is_printed_after_one_pass() -> None:
    module = load(str(MLP)).module.clone()
    run_passes(module, [make_pass("fold")])
    done = qconvert("opt", MLP, "-q", "-p", "fold,legalize-qdq-to-quantized-op", "--print-after", "fold")
    assert dumps(done.stderr) == {"fold": module_text(module)}


def test_a_pass_that_does_not_run_is_refused(tmp_path: Path) -> None:
    error = refused("convert", MLP, "-o", tmp_path / "a.onnx", "--print-after", "stablehlo-to-tosa")
    assert error.startswith("--print-after stablehlo-to-tosa: this pass does not run here; those that ran are fold, ")
    assert refused("convert", MLP, MLP, "-o", f"{tmp_path}/", "--to", "tosa", "--print-after", "fold") == (
        "--print-after is for one model"
    )
    assert refused("convert", MLP, "-o", tmp_path / "a.mlir", "--dim", "N=?", "--print-after", "fold") == (
        "--print-after needs the size of 'N': its modules at three sizes become one"
    )
    assert not list(tmp_path.iterdir())


# The pass that changes the results.


def differing(text: str) -> list[str]:
    """Return the passes behind which elements differ."""
    return [line.split()[0] for line in text.splitlines() if re.search(r"[1-9][\d,]* of [\d,]+ elements differ", line)]


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with 24 images."""
    file = tmp_path_factory.mktemp("images") / "images.npz"
    np.savez(file, image=np.load(IMAGES)["image"][:24])
    return file


@pytest.fixture
def faulty() -> Iterator[None]:
    """Let a pass of every pipeline but ONNX's negate the weights of a contraction."""
    sink = SinkTransposes.apply

    def apply(self: SinkTransposes, module: ModuleOp) -> PassResult:
        result = sink(self, module)
        weights = next(op.rhs.owner for op in module.walk() if isinstance(op, stablehlo.ConvolutionOp))
        assert isinstance(weights, stablehlo.ConstantOp)
        element = weights.output.type.element_type
        negated = stablehlo.ConstantOp.of(np.maximum(weights.array, -127) * np.int8(-1), element)
        assert weights.parent is not None
        weights.parent.insert_op_before(negated, weights)
        weights.output.replace_all_uses_with(negated.output)
        return result._replace(changed=True)

    with mock.patch.object(SinkTransposes, "apply", apply):
        yield


@pytest.mark.quick(1)
@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("to", ["tosa", "tflite", "stablehlo", "stablehlo-int"])
def test_a_faulty_pass_is_found(to: str, images: Path) -> None:
    command = ["opt", CNN, "--pipeline", to, "--dim", "N=24", "--compare-each", images, "-o"]
    found = differing(qconvert(*command, "-").stderr)
    with mock.patch.object(SinkTransposes, "apply", return_value=PassResult(changed=False)):
        sound = differing(qconvert(*command, "-").stderr)
    assert set(found) - set(sound) == {"sink-transposes"}
    assert "sink-transposes" not in sound


@pytest.mark.usefixtures("faulty")
def test_a_cut_brings_the_fault_to_an_output(tmp_path: Path) -> None:
    samples = tmp_path / "samples.npz"
    np.savez(samples, image=np.random.default_rng(0).random((2, 1, 8, 8), np.float32))
    done = qconvert("opt", CNN, "--outputs", "conv_1", "--pipeline", "tosa", "--compare-each", samples)
    assert "sink-transposes" in differing(done.stderr)


def test_ports_in_other_types_and_layouts_are_compared(images: Path) -> None:
    """Quantized, with channels last, and in TOSA's signless integers."""
    options = ["--quantized-io", "--nhwc-io"]
    command = ["opt", CNN, "--pipeline", "tosa", "--dim", "N=24", "--compare-each", images]
    plain, other = (qconvert(*command, *more).stderr for more in ([], options))
    line = next(line for line in other.splitlines() if line.startswith("nhwc-io"))
    assert line.endswith("equal")
    assert "not compared" not in plain + other


def test_a_module_that_the_interpreter_does_not_run_is_left_out() -> None:
    """The next module is compared with the last one that ran; NaNs are equal to each other."""
    model, effects = load(str(MLP)), list[PassEffect]()
    nan = np.float32(np.nan)
    outputs = [[0, nan], [0, nan], ConversionError("no meaning"), [2, nan]]
    runs = [each if isinstance(each, Exception) else (np.array([each], np.float32),) for each in outputs]
    zeros = {name: np.zeros((1, 4), np.float32) for name in model.input_names}
    passes = ["fold", "legalize-qdq-to-quantized-op", "strip-qconvert-attributes"]
    with mock.patch.object(PassByPass, "_run", side_effect=runs):
        transform(model, passes, after=PassByPass(model, [zeros], effects.append))
    compared = [effect for effect in effects if effect.changed]
    assert [(each.differing, each.elements, each.largest) for each in compared] == [(0, 2, 0), (0, 0, 0), (1, 2, 2)]
    assert str(compared[1]).endswith("not compared: no meaning")
