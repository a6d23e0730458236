import numpy as np
import pytest

from qconvert.engines import base, tosa, tosa_opt
from qconvert.engines.limits import Limits
from qconvert.engines.modules import Program
from qconvert.ir.tosa_target import Target
from qconvert.support.errors import EngineError, EngineMissingError

pytestmark = pytest.mark.tosa

HALVE = """
func.func @main(%a: tensor<2x3xi8> {tosa.tensor_name = "left"}, %b: tensor<2x3xi32>)
    -> (tensor<2x3xi32>, tensor<2x3xi8>) {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %oz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = "tosa.rescale"(%a, %m, %s, %iz, %oz) <{scale32 = true, rounding_mode = #tosa.rounding_mode<ROUND>,
    per_channel = false, input_unsigned = false, output_unsigned = false}>
    : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
  %1 = "tosa.add"(%0, %b) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %1, %a : tensor<2x3xi32>, tensor<2x3xi8>
}"""
SINGLE, DOUBLE = (HALVE.replace("ROUND>", f"{kind}_ROUND>") for kind in ("SINGLE", "DOUBLE"))
INPUTS = [np.array([[1, 2, 3], [-1, -2, -3]], np.int8), np.full((2, 3), 10, np.int32)]


def test_halving_rounds_half_up() -> None:
    half, same = tosa.run_samples(SINGLE, [INPUTS])[0]
    assert half.tolist() == [[11, 11, 12], [10, 9, 9]]
    assert half.dtype == np.int32
    assert same.tolist() == INPUTS[0].tolist()


def test_several_samples_and_one_bad_program() -> None:
    good = Program(SINGLE, [INPUTS, [INPUTS[0], INPUTS[1] + 1]])
    bad = Program(SINGLE.replace("dense<31>", "dense<1>"), [INPUTS])
    first, refused, last = tosa.run_many([good, bad, good])
    assert isinstance(refused, EngineError)
    assert not isinstance(first, EngineError)
    assert not isinstance(last, EngineError)
    assert first[1][0].tolist() == (first[0][0] + 1).tolist() == last[1][0].tolist()


def test_the_profile_and_its_extensions_are_checked() -> None:
    narrow = Target(("pro_int",), ())
    assert '"tosa.rescale"' in tosa.verify(SINGLE, target=narrow)
    with pytest.raises(EngineError, match="doubleround"):
        tosa.verify(DOUBLE, target=narrow)
    assert tosa.verify(DOUBLE)


def test_names_are_kept_in_the_flatbuffer() -> None:
    assert b"left" in tosa.serialize(SINGLE)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (INPUTS[:1], "1 arguments given, @main takes 2"),
        ([INPUTS[0][:, :2], INPUTS[1]], r"argument 0 is int8\[2, 2\], @main takes tensor<2x3xi8>"),
    ],
)
def test_arguments_that_do_not_fit(inputs: list[np.ndarray], message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(EngineError, match=message):
        tosa.run_samples(SINGLE, [inputs])


def test_text_that_is_no_tosa() -> None:
    with pytest.raises(EngineError, match=r"tosa engine: line 1:1: custom op 'nothing' is unknown"):
        tosa.run_samples("nothing", [[]])


def test_the_program_is_bounded_in_time_and_memory() -> None:
    with pytest.raises(EngineError, match=r"tosa engine: no answer within 0 s, stopped"):
        tosa.serialize(SINGLE, limits=Limits(seconds=0))
    with pytest.raises(EngineError, match=r"tosa engine: "):
        tosa.serialize(SINGLE, limits=Limits(memory_bytes=1 << 20))


def test_a_flatbuffer_that_is_none() -> None:
    with pytest.raises(EngineError, match=r"tosa engine: "):
        tosa.deserialize(b"\x08\0\0\0TOSA" + bytes(64))


def test_the_program_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tosa_opt, "find_spec", lambda _: None)
    monkeypatch.setattr(base, "version_of", lambda _: None)
    with pytest.raises(EngineMissingError, match=r"pip install 'qconvert\[tosa\]'"):
        tosa.serialize(SINGLE)
