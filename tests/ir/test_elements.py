"""The table of element types: complete, and as the formats' own libraries have the types."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import ml_dtypes
import numpy as np
import pytest
import safetensors
import tflite
from onnx import TensorProto, defs, helper, numpy_helper
from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType, Signedness

from qconvert.backends.onnx.builder import least_opset, onnx_type
from qconvert.backends.tflite.graph import tensor_type
from qconvert.backends.tosa.schema import binding, element_number
from qconvert.dialects import tosa
from qconvert.dialects.tosa.element_types import TypeTable
from qconvert.engines import wire
from qconvert.engines.workers.tensors import element_of
from qconvert.engines.workers.tensors import tensor_type as engine_type
from qconvert.frontends.onnx.tensors import TensorReader, element_dtype
from qconvert.frontends.tflite.model import TENSOR_TYPES
from qconvert.ir import (
    ELEMENT_TYPES,
    PLAIN_WIDTHS,
    ElementType,
    element_type_of,
    element_type_of_dtype,
    from_numpy_dtype,
    numpy_dtype,
)
from qconvert.ir.safetensors import NamedArray, file_dtype, write_arrays
from qconvert.support.errors import ConversionError, EngineError

_NOT_IN_ONNX = {"UNDEFINED", "STRING", "COMPLEX64", "COMPLEX128", "FLOAT6E2M3", "FLOAT6E3M2"}
_NOT_IN_TFLITE = {"STRING", "RESOURCE", "VARIANT", "COMPLEX64", "COMPLEX128"}
_NOT_IN_TOSA = {"UNKNOWN", "SHAPE", "INT64", "FP6E2M3", "FP6E3M2", "FP4E2M1", "FP8UE8M0", "MXINT8"}
_NOT_IN_MLIR = {"f80", "f128", "tf32", "f8E4M3", "f8E4M3B11FNUZ", "f8E3M4", "f6E2M3FN", "f6E3M2FN"}
"""The types of each format that no model is read or written with; a new release may add others."""

_SUM = IntegerType(48)

every_type = pytest.mark.parametrize("row", ELEMENT_TYPES, ids=lambda row: str(row.mlir))


def values_of(row: ElementType) -> np.typing.NDArray[np.generic]:
    """Return six elements that each type has, as the IR holds them."""
    return np.array([1, 0, 1, 1, 0, 1], np.int8).astype(row.held_dtype)


def names(field: str) -> list[str]:
    """Return a column of the table without the types that lack a name."""
    return [name for row in ELEMENT_TYPES if (name := getattr(row, field)) is not None]


def test_every_type_of_onnx_has_a_row() -> None:
    assert sorted(names("onnx")) == sorted(set(TensorProto.DataType.keys()) - _NOT_IN_ONNX)


def test_every_type_of_tflite_has_a_row() -> None:
    known = {name for name, number in vars(tflite.TensorType).items() if isinstance(number, int)}
    assert sorted(names("tflite")) == sorted(known - _NOT_IN_TFLITE)


@pytest.mark.tosa
def test_every_type_of_tosa_has_a_row() -> None:
    known = {name for name, number in vars(binding("DType").DType).items() if isinstance(number, int)}
    assert sorted(names("tosa")) == sorted(known - _NOT_IN_TOSA)


def test_every_float_of_mlir_has_a_row() -> None:
    floats = {str(row.mlir) for row in ELEMENT_TYPES if isinstance(row.mlir, AnyFloat)}
    assert floats == {kind.name for kind in get_args(AnyFloat)} - _NOT_IN_MLIR


def test_no_name_and_no_type_has_two_rows() -> None:
    for field in ("onnx", "tflite", "tosa"):
        assert len(set(names(field))) == len(names(field))
    assert len({row.mlir for row in ELEMENT_TYPES}) == len(ELEMENT_TYPES)
    assert [row.mlir for row in ELEMENT_TYPES if element_type_of_dtype(row.dtype) is not row] == [_SUM]
    assert PLAIN_WIDTHS == (1, 2, 4, 8, 16, 32, 48, 64)


@every_type
def test_a_row_is_found_by_each_of_its_types(row: ElementType) -> None:
    assert element_type_of(row.mlir) is row
    assert numpy_dtype(row.mlir) == row.held_dtype
    if row.mlir != _SUM:
        assert from_numpy_dtype(row.dtype) == row.mlir


def test_a_signed_integer_is_found_as_the_one_without_a_sign() -> None:
    assert element_type_of(IntegerType(8, Signedness.SIGNED)) is element_type_of(IntegerType(8))
    assert element_type_of(IntegerType(7)) is None
    with pytest.raises(ConversionError, match="elements of type float6_e2m3fn are not supported here"):
        from_numpy_dtype(np.dtype(ml_dtypes.float6_e2m3fn))


@every_type
def test_bits_are_those_of_the_numpy_type(row: ElementType) -> None:
    if row.dtype.isbuiltin == 1:
        expected = {np.dtype(np.bool_): 1}.get(row.dtype, 48 if row.mlir == _SUM else row.dtype.itemsize * 8)
    else:
        limits = ml_dtypes.iinfo if isinstance(row.mlir, IntegerType) else ml_dtypes.finfo
        expected = limits(row.dtype).bits
    assert row.bits == expected


@every_type
def test_onnx_has_the_same_elements(row: ElementType) -> None:
    if row.onnx is None:
        return
    number = TensorProto.DataType.Value(row.onnx)
    assert element_dtype(number) == helper.tensor_dtype_to_np_dtype(number) == row.dtype
    assert onnx_type(row.mlir) == number
    proto = numpy_helper.from_array(values_of(row).astype(row.dtype), "t")
    assert proto.data_type == number
    assert TensorReader(None).array(proto).tobytes() == values_of(row).tobytes()


@every_type
def test_onnx_has_the_type_since_an_opset(row: ElementType) -> None:
    assert least_opset(row.mlir) == row.onnx_since
    if row.onnx is not None:
        schemas = [defs.get_schema("Identity", opset) for opset in range(1, defs.onnx_opset_version() + 1)]
        name = f"tensor({row.onnx.lower()})"
        taking = [schema for schema in schemas if name in schema.type_constraints[0].allowed_type_strs]
        assert row.onnx_since == taking[0].since_version


@every_type
def test_tflite_has_the_same_elements(row: ElementType) -> None:
    if row.tflite is None:
        with pytest.raises(ConversionError, match="TFLite has no tensors of "):
            tensor_type(row.mlir)
        return
    assert TENSOR_TYPES[row.dtype] == tensor_type(row.mlir) == getattr(tflite.TensorType, row.tflite)
    assert row.tflite.lower() == row.dtype.name


@pytest.mark.tosa
@every_type
def test_tosa_has_the_type_and_an_op_with_it(row: ElementType) -> None:
    if row.tosa is None:
        with pytest.raises(ConversionError, match="TOSA's flatbuffer has no elements of "):
            element_number(row.mlir)
        return
    assert element_number(row.mlir) == getattr(binding("DType").DType, row.tosa)
    tables = [table for op in vars(tosa).values() if isinstance(table := getattr(op, "TYPES", None), TypeTable)]
    assert tables
    assert any(str(row.mlir) in types for table in tables for types in table.rows)


@every_type
def test_safetensors_has_the_same_elements(row: ElementType, tmp_path: Path) -> None:
    assert file_dtype(row.mlir) == (None if row.safetensors is None else row.dtype)
    if row.safetensors is None:
        return
    values = values_of(row)
    with (tmp_path / "w.safetensors").open("wb") as stream:
        write_arrays(stream, [NamedArray("t", values, row.dtype)])
    [(_, entry)] = safetensors.deserialize((tmp_path / "w.safetensors").read_bytes())
    count = -(-values.size * row.bits // 8) if row.shares_bytes else values.size
    assert (entry["dtype"], entry["shape"]) == (row.safetensors, [count])
    if not row.shares_bytes:
        assert bytes(entry["data"]) == values.tobytes()


@every_type
def test_an_engine_takes_the_type_by_its_name(row: ElementType, tmp_path: Path) -> None:
    values = values_of(row).astype(row.dtype)
    wire.write(tmp_path, "task", wire.Message(samples=({"t": values},)))
    [sample] = wire.read(tmp_path, "task").samples
    assert sample["t"].dtype == row.dtype
    assert sample["t"].tobytes() == values.tobytes()
    if row.mlir == _SUM or isinstance(row.mlir, ComplexType):
        with pytest.raises(EngineError, match=r"parameter 0 has type tensor<2x.*>, which no array can be given for"):
            engine_type(f"tensor<2x{row.mlir}>", "parameter 0")
    else:
        assert engine_type(f"tensor<2x{row.mlir}>", "parameter 0").dtype == row.dtype
        assert element_of(row.dtype) == str(row.mlir)


@pytest.mark.parametrize("name", ["f128", "f80", "i7", "f8", "index"])
def test_an_engine_takes_no_other_type(name: str) -> None:
    with pytest.raises(EngineError, match="which no array can be given for"):
        engine_type(f"tensor<{name}>", "parameter 0")
