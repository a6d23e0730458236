"""Constants as text, bit by bit and without copies; hostile text, refused in one located paragraph."""

from __future__ import annotations

import random
import tracemalloc
from io import StringIO
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ComplexType, Float32Type, Float64Type, ModuleOp
from xdsl.ir import Attribute
from xdsl.printer import Printer

from qconvert.dialects.stablehlo import ConstantOp
from qconvert.frontends.mlir import load_text
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.constants import ElementsAttr
from qconvert.ir.locations import node_names, place
from qconvert.ir.printing import ModulePrinter, module_text, write_module
from qconvert.ir.types import f32, f64, from_numpy_dtype, integer_type, numpy_dtype
from qconvert.support.errors import ConversionError

Array = NDArray[Any]


def constant_module(array: Array, element: Attribute) -> ModuleOp:
    return ModuleOp([ConstantOp.of(array, element)])


def text_of(array: Array, element: Attribute | None = None) -> str:
    stream = StringIO()
    attribute = ElementsAttr.of(array, element or from_numpy_dtype(array.dtype))
    ModulePrinter(stream).print_attribute(attribute)
    return stream.getvalue()


def read(text: str) -> Array:
    module = parse_module(f"%0 = stablehlo.constant {text}")
    (constant,) = [op for op in module.walk() if isinstance(op, ConstantOp)]
    return constant.array


def same_bits(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class _Pieces(StringIO):
    """A stream that counts what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def write(self, text: str, /) -> int:
        self.count += 1
        return super().write(text)


@pytest.mark.parametrize("name", ["", "relu 1", 'a "b"', "a\\b", "a\nb\t\x7f", "\xe9\u4e2d"])
def test_names_are_written_as_xdsl_writes_them(name: str) -> None:
    stream, expected = StringIO(), StringIO()
    ModulePrinter(stream).print_string_literal(name)
    Printer(expected).print_string_literal(name)
    assert stream.getvalue() == expected.getvalue()


def test_a_plain_name_is_written_at_once() -> None:
    stream = _Pieces()
    ModulePrinter(stream).print_string_literal("a long name of a node")
    assert stream.count == 1


FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [48, 4096], ids=["list", "hex"])
def test_floats_come_back_bit_by_bit(dtype: type, count: int) -> None:
    width = np.dtype(dtype).itemsize
    array = np.frombuffer(np.random.default_rng(0).bytes(count * width), dtype).reshape(4, -1)
    assert same_bits(read(text_of(array)), array)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("dense<0x7F800000> : tensor<f32>", 0x7F800000),
        ("dense<[0xFFC00001]> : tensor<1xf32>", 0xFFC00001),
        ("dense<0x7E00> : tensor<f16>", 0x7E00),
        ("dense<0xFF80> : tensor<bf16>", 0xFF80),
        ("dense<0xFFF0000000000000> : tensor<f64>", 0xFFF0000000000000),
        ("dense<-0.0> : tensor<f32>", 0x80000000),
        ("dense<0.1> : tensor<f32>", 0x3DCCCCCD),
        ("dense<1> : tensor<f32>", 0x3F800000),
    ],
)
def test_hex_digits_in_a_list_are_the_bits_of_a_float(text: str, bits: int) -> None:
    array = read(text)
    assert int(array.reshape(-1).view(f"u{array.dtype.itemsize}")[0]) == bits


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float32([[1, 2.5], [-0.1, 1e-20]]), "dense<[[1.000000e+00, 2.500000e+00], [-1.000000e-01, 1.000000e-20]]>"),
        (np.float32([16777217, np.inf]), "dense<[16777216.0, 0x7F800000]>"),
        (np.float64([1e300, 1 / 3]), "dense<[1.000000e+300, 0.3333333333333333]>"),
        (np.float64([1.2345678e-300]), "dense<1.2345678e-300>"),
        (np.int8([[1], [-2]]), "dense<[[1], [-2]]>"),
        (np.array(7, np.int64), "dense<7>"),
        (np.zeros((0, 3), np.float32), "dense<>"),
        (np.ones((100, 100), np.float32), "dense<1.000000e+00>"),
        (np.array([True, False]), "dense<[true, false]>"),
    ],
)
def test_the_text_of_a_constant(array: Array, text: str) -> None:
    assert text_of(array).partition(" : ")[0] == text
    assert same_bits(read(text_of(array)), array)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        ([1 - 2j], "dense<(1.000000e+00,-2.000000e+00)>"),
        ([1 - 2j] * 65, "dense<(1.000000e+00,-2.000000e+00)>"),
        ([[1e30, complex(0.5, np.inf)]], "dense<[[(1.000000e+30,0.000000e+00), (5.000000e-01,{inf})]]>"),
        ([1j * i for i in range(65)], "dense<{hex}>"),
        ([], "dense<>"),
    ],
)
@pytest.mark.parametrize("part", [f32, f64], ids=str)
def test_the_text_of_complex_numbers(array: list[complex], text: str, part: Float32Type | Float64Type) -> None:
    element = ComplexType(part)
    values = np.asarray(array, numpy_dtype(element))
    infinity = "0x7F800000" if part == f32 else "0x7FF0000000000000"
    expected = text.format(hex=f'"0x{values.tobytes().hex()}"', inf=infinity)
    assert text_of(values, element).partition(" : ")[0] == expected
    assert same_bits(read(text_of(values, element)), values)


@pytest.mark.parametrize("text", ["dense<1.0>", "dense<[(1.0, 2.0), 3.0]>", "dense<(1.0)>", "dense<((1.0, 2.0))>"])
def test_complex_numbers_are_written_as_pairs(text: str) -> None:
    with pytest.raises(ConversionError, match=r"a complex number is written as \(real, imaginary\)"):
        read(f"{text} : tensor<2xcomplex<f32>>")


def test_complex_numbers_have_parts_of_32_or_64_bits() -> None:
    with pytest.raises(ConversionError, match=r"elements of type complex<f16> are not supported here"):
        read("dense<(1.0, 2.0)> : tensor<2xcomplex<f16>>")


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("count", [20, 200], ids=["list", "hex"])
def test_narrow_integers_have_a_byte_each(width: int, signed: bool, count: int) -> None:
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    array = np.random.default_rng(1).integers(low, high, count, endpoint=True).astype(np.int8 if signed else np.uint8)
    assert same_bits(read(text_of(array, integer_type(width, signed=signed))), array)


def test_high_bits_of_narrow_integers_are_not_read() -> None:
    assert read('dense<"0x0FFFF702"> : tensor<4xi4>').tolist() == [-1, -1, 7, 2]
    assert read('dense<"0x0FFFF702"> : tensor<4xui4>').tolist() == [15, 15, 7, 2]


def test_booleans_are_read_a_byte_or_a_bit_each() -> None:
    assert read('dense<"0x00FF0001"> : tensor<4xi1>').tolist() == [False, True, False, True]
    assert read('dense<"0x0501"> : tensor<9xi1>').tolist() == [True, False, True, *[False] * 5, True]


def test_signless_integers_take_both_ranges() -> None:
    assert read("dense<[200, -128, 0xFF]> : tensor<3xi8>").tolist() == [-56, -128, -1]
    assert read("dense<[200, 0xFF]> : tensor<2xui8>").tolist() == [200, 255]


def test_one_element_for_all_takes_no_memory() -> None:
    for text in ("dense<1> : tensor<1099511627776xi8>", 'dense<"0x01"> : tensor<1099511627776xi8>'):
        array = read(text)
        assert array.shape == (1 << 40,)
        assert array.strides == (0,)
        assert text_of(array) == "dense<1> : tensor<1099511627776xi8>"


def strided(array: Array, folder: Path) -> dict[str, Array]:
    array.tofile(folder / "weights")
    mapped = np.memmap(folder / "weights", array.dtype, "r", shape=array.shape)
    return {"contiguous": array, "transposed": array.T, "memmap": mapped, "every other": array[::2, 1::3]}


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["contiguous", "transposed", "memmap", "every other"])
def test_a_large_constant_is_written_in_pieces(tmp_path: Path, kind: str) -> None:
    base = np.random.default_rng(2).standard_normal((1024, 2048)).astype(np.float32)
    array = strided(base, tmp_path)[kind]
    module = constant_module(array, from_numpy_dtype(array.dtype))
    tracemalloc.start()
    with (tmp_path / "out.mlir").open("w") as stream:
        write_module(module, stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    written = (tmp_path / "out.mlir").read_text()
    digits = written[written.index('"0x') + 3 : written.rindex('"')]
    assert bytes.fromhex(digits) == array.tobytes()
    assert same_bits(read(written[written.index("dense") : written.rindex("\n}")]), np.asarray(array, order="C"))


def test_a_large_constant_is_read_once() -> None:
    count = 4 << 20
    digits = np.arange(count, dtype=np.float32).tobytes().hex()
    text = f'%0 = stablehlo.constant dense<"0x{digits}"> : tensor<{count}xf32>'
    tracemalloc.start()
    parse_module(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * 4 * count


def test_resources_are_read_where_the_file_has_their_data() -> None:
    module = parse_module("""
%0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
{-#
  dialect_resources: {builtin: {other: "0x0400000000000000", weights: "0x040000000000803F00000040"}}
#-}
""")
    assert "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>" in module_text(module)


def test_a_type_is_read_once_and_whole() -> None:
    comment = "tensor<2xf32 // >\n  >"
    line = f"%0 = stablehlo.add %a, %a : {comment}\n  %1 = stablehlo.add %0, %0 : {comment}"
    module = parse_module(function(line).replace("%a: tensor<2xf32>", f"%a: {comment}, %b: tensor<2xf32>"))
    lines = module_text(module).splitlines()
    assert [text.strip() for text in lines if "add" in text] == [
        "%2 = stablehlo.add %0, %0 : tensor<2xf32>",
        "%3 = stablehlo.add %2, %2 : tensor<2xf32>",
    ]
    module = parse_module(function("%0 = stablehlo.abs %a : tensor<2xf32>"))
    (op,) = [op for op in module.walk() if op.name == "stablehlo.abs"]
    assert op.operands[0].type is op.results[0].type


@pytest.mark.parametrize(
    ("location", "names"),
    [
        ("unknown", ()),
        ('"conv"', ("conv",)),
        ('"conv"("model.py":3:4)', ("conv",)),
        ('"model.py":3:4', ()),
        ('"model.py":3:4 to 5:6', ()),
        ('"conv"("model.py":3:4 to :6)', ("conv",)),
        ('fused["conv", "relu"]', ("conv", "relu")),
        ('fused<"pass">["conv", "model.py":3:4 to :6]', ("conv",)),
        ('callsite("conv"("model.py":3:4) at "main")', ()),
    ],
)
def test_locations_of_every_kind(location: str, names: tuple[str, ...]) -> None:
    module = parse_module(function(f"%0 = stablehlo.abs %a : tensor<2xf32> loc({location})"), "model.mlir")
    (op,) = [op for op in module.walk() if op.name == "stablehlo.abs"]
    assert node_names(op.location) == names
    assert place(op) == (None if names else "model.mlir:2:3")


def function(line: str) -> str:
    return f"func.func @main(%a: tensor<2xf32>) {{\n  {line}\n  return\n}}\n"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "an op is needed here"),
        ("`", "1:1", "Unexpected character: `"),
        ('"open', "1:1", "a string that is not closed or a wrong escape"),
        ('"\\q"', "1:1", "a string that is not closed or a wrong escape"),
        ("func.func @main() {", "1:20", "an op or a closing brace is needed here"),
        (function("%0 = stablehlo.add %a : tensor<2xf32>, 3"), "2:40", "an op or a closing brace is needed here"),
        (function("%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi8>"), "2:33", "2 elements for a constant"),
        (function("%0 = stablehlo.constant dense<[1, 2"), "2:33", "dense< is not closed"),
        (function('%0 = stablehlo.constant dense<"00"> : tensor<1xi8>'), "2:33", "must start with 0x"),
        (function("%0 = stablehlo.constant dense<nan> : tensor<f32>"), "2:33", "'nan' is not a float of 32 bits"),
        (
            function("%0 = stablehlo.constant dense<1> : tensor<2xf80>"),
            "2:47",
            "f80 is not supported: floats have at most 64 bits",
        ),
        (function("%0 = stablehlo.abs %a : tensor<2x!quant.uniform<i8:f32, 0.5:1.5>>"), "2:63", "Expected integer"),
        (function("%0 = stablehlo.abs %a : tensor<2x!quant.uniform<i8:f32, {0.5, 0.5}>>"), "2:70", "needs a"),
        (function("%0 = stablehlo.dot_general %a, %a, algorithm = <x>"), "2:50", "algorithm of a dot_general is not"),
        (function("%0 = stablehlo.transpose %a, dims = [99999999999999999999]"), "3:3", "out of range"),
        ("func.func @main() {} loc(#loc7)", "1:31", "undefined symbol alias"),
        ("{-# never closed", "1:1", "{-# is not closed"),
    ],
)
def test_bad_text_is_refused_where_it_stands(text: str, place: str, message: str) -> None:
    with pytest.raises(ConversionError) as caught:
        load_text(text, "model.mlir")
    assert str(caught.value).startswith(f"model.mlir:{place}"), caught.value
    assert message in str(caught.value)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        function('"' + "x" * 100_000 + '"() : () -> ()'),
        function('%0 = stablehlo.constant dense<"0x' + "00" * 100_000 + '"> : tensor<7xf32>'),
        function("%0 = stablehlo.constant dense<[" + "1.0, " * 30_000 + "x]> : tensor<7xf32>"),
        function("%0 = stablehlo.abs %a : tensor<" + "2x" * 20_000 + "f32>"),
    ],
    ids=["word", "op name", "hex", "list", "shape"],
)
def test_messages_quote_a_little_of_a_long_line(text: str) -> None:
    with pytest.raises(ConversionError) as caught:
        load_text(text, "model.mlir")
    assert len(str(caught.value)) < 600


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "func.func @main(%a: " + "tuple<" * 10_000 + "i1" + ">" * 10_000 + ") {}",
        "func.func @main(%a: " + "tuple<" * 190 + "i1" + ">" * 190 + ") {}",
        "module {" * 190 + "}" * 190,
        "%0 = stablehlo.constant dense<" + "[" * 150 + "]" * 150 + "> : tensor<2xi8>",
        '"' + "x" * 100_000,
        '"' + "\\22" * 100_000,
        '\\"' * 200_000,
        "{-#" + ' a : "0x' * 50_000,
        "#loc = loc(\n" * 20_000,
        "// " * 300_000,
    ],
    ids=[
        *("brackets", "types", "fewer types", "modules", "list", "string", "escapes", "quotes", "resources", "aliases"),
        "comment",
    ],
)
def test_bombs_are_refused_in_time(text: str) -> None:
    with pytest.raises(ConversionError):
        load_text(text, "bomb.mlir")


SEEDS = [
    section for path in sorted(Path(__file__).parent.glob("*.mlir")) for section in path.read_text().split("// -----\n")
]
WORDS = (
    *("dense<", '"0x00"', "<", ">", "(", "{", "]", "-1", "99999999999999999999", "tensor<2x3xf32>", "%a", "loc("),
    *('"', "\\", ""),
)


def mutated(generator: random.Random) -> str:
    text = generator.choice(SEEDS)
    for _ in range(generator.choice((1, 1, 2, 4))):
        start = generator.randrange(len(text) + 1)
        end = min(len(text), start + generator.randrange(10))
        text = text[:start] + generator.choice((*WORDS, chr(generator.randrange(32, 127)))) + text[end:]
    return text


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_mutated_text_is_read_or_refused() -> None:
    generator = random.Random(0)
    refusals = [refusal for _ in range(1000) if (refusal := outcome(mutated(generator)))]
    assert len(refusals) > 500
    assert max(map(len, refusals)) < 1000


def outcome(text: str) -> str:
    """How the text is refused; empty where it is read and written again."""
    try:
        module_text(load_text(text, "mutated.mlir"))
    except ConversionError as error:
        return str(error)
    return ""


def test_the_elements_of_a_constant_are_a_property_or_an_attribute() -> None:
    """The parser of jaxlib reads both; programs written by hand often have the attribute."""
    kind = "tensor<2x!quant.uniform<i8:f32, 0.5:3>>"
    for fields in ("<{value = E}>", "{value = E}", "{note = 1 : i8, value = E}", "<{value = E}> {note = 1 : i8}"):
        constant = f"stablehlo.constant() {fields.replace('E', 'dense<[1, -2]> : tensor<2xi8>')} : () -> {kind}"
        [op] = [op for op in parse_module(f"%0 = {constant}").walk() if isinstance(op, ConstantOp)]
        assert op.array.tolist() == [1, -2]
        assert set(op.attributes) <= {"note"}
