"""An ONNX file as a checked ModelProto: decoded, functions inlined, shapes of inputs fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto, TypeProto, ValueInfoProto, helper
from xdsl.dialects.builtin import TensorType

from qconvert.dialects.types import Tensor, from_numpy_dtype
from qconvert.errors import ConversionError
from qconvert.frontends.onnx.functions import inline_functions

FIRST_OPSET, LAST_OPSET = 7, 25


@dataclass(frozen=True)
class OnnxModel:
    """A decoded model and where it came from.

    ``assumed`` names the symbolic dimensions that were set to 1 because nobody gave a size.
    """

    proto: ModelProto
    folder: Path | None
    dims: Mapping[str, int] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)

    def opset(self, domain: str) -> int:
        """The version in force for a domain; raises ConversionError where the model imports none."""
        known: dict[str, int] = {
            ("" if o.domain == "ai.onnx" else o.domain): o.version for o in self.proto.opset_import
        }
        if domain not in known:
            raise ConversionError(f"the model uses domain '{domain}' but does not import it")
        return known[domain]


def decode_model(source: bytes | Path, folder: Path | None, dims: Mapping[str, int]) -> OnnxModel:
    """Decode and check a model's frame: graph, opset, functions.

    Raises ConversionError where the bytes are no ONNX model or are cut short, or the opset is out of range.
    """
    proto = ModelProto()
    try:
        # Nothing else may hold the bytes of a file: they are freed as soon as they are decoded.
        proto.ParseFromString(source.read_bytes() if isinstance(source, Path) else source)
    except DecodeError as error:
        raise ConversionError(
            "this is not an ONNX model, or it is cut short", hint="Export or download the file again"
        ) from error
    if not proto.HasField("graph") or not proto.graph.node:
        raise ConversionError("the file holds no ONNX graph", hint="Export or download the file again")
    inline_functions(proto)
    model = OnnxModel(proto, folder, dims)
    _refuse_unknown_dims(model)
    opset = model.opset("")
    if not FIRST_OPSET <= opset <= LAST_OPSET:
        raise ConversionError(
            f"opset {opset} is not supported",
            hint=f"Opsets {FIRST_OPSET} to {LAST_OPSET} are; convert the model with onnx.version_converter first",
        )
    return model


def input_type(model: OnnxModel, value: ValueInfoProto) -> Tensor:
    """The static tensor type of a graph input.

    A symbolic dimension takes its size from ``--dim``; a leading one that nobody sized is the batch and becomes 1.
    Raises ConversionError for other unknown dimensions and for types that are no tensors.
    """
    type = value.type
    if not type.HasField("tensor_type"):
        raise ConversionError(f"input '{value.name}' is no tensor ({type.WhichOneof('value') or 'no type given'})")
    if not type.tensor_type.HasField("shape"):
        raise ConversionError(f"input '{value.name}' has no shape", hint="Export the model with fixed input shapes")
    if type.tensor_type.elem_type in (TensorProto.UNDEFINED, TensorProto.STRING):
        raise ConversionError(f"input '{value.name}' has elements that are no numbers")
    shape = [_size(model, value.name, i, dim) for i, dim in enumerate(type.tensor_type.shape.dim)]
    dtype = helper.tensor_dtype_to_np_dtype(type.tensor_type.elem_type)
    return TensorType(from_numpy_dtype(dtype), shape)


def _symbol(name: str, position: int, symbol: str) -> str:
    """What ``--dim`` calls a dimension: its own name, or the input's name and its position."""
    return symbol or f"{name}.{position}"


def _refuse_unknown_dims(model: OnnxModel) -> None:
    symbols = {
        _symbol(value.name, i, dim.dim_param)
        for value in model.proto.graph.input
        for i, dim in enumerate(value.type.tensor_type.shape.dim)
        if not dim.HasField("dim_value")
    }
    for name in model.dims:
        if name not in symbols:
            known = f"The model has {', '.join(sorted(symbols))}" if symbols else "The model's inputs have fixed shapes"
            raise ConversionError(f"no input has a dimension '{name}'", hint=known)


def _size(model: OnnxModel, name: str, position: int, dim: TypeProto.Tensor) -> int:
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return int(dim.dim_value)
    symbol = _symbol(name, position, dim.dim_param)
    if symbol in model.dims:
        return model.dims[symbol]
    if position == 0:
        model.assumed.add(symbol)
        return 1
    raise ConversionError(
        f"dimension {position} of input '{name}' is '{symbol}'", hint=f"Give it a size: --dim {symbol}=SIZE"
    )
