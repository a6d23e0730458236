"""``verify FILE.onnx``: the verdict of onnxruntime for every operator that is written, with every element type."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
import onnxruntime
import pytest
from onnx import TensorProto, defs, helper

from qconvert import verify
from tests.support.onnx_cases import loads

WRITTEN = """
Abs Add And ArgMax ArgMin AveragePool BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil Celu Clip
Concat Conv ConvInteger ConvTranspose Cos DepthToSpace DequantizeLinear Div DynamicQuantizeLinear Elu Equal Erf Exp
Expand Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool Greater GreaterOrEqual HardSigmoid
HardSwish Identity InstanceNormalization LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax
LpNormalization MatMul MatMulInteger Max MaxPool Min Mish Mod Mul Neg Not Or PRelu Pad Pow QLinearConv QLinearMatMul
QuantizeLinear RMSNormalization RNN Reciprocal ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Relu Reshape Resize
Round Selu Shape Sigmoid Sign Sin Slice Softmax Softplus Softsign Sqrt Squeeze Sub Swish Tan Tanh ThresholdedRelu Tile
Transpose Unsqueeze Where Xor
"""
ATTRIBUTES: dict[str, dict[str, object]] = {
    **{operator: {"kernel_shape": [1, 1]} for operator in ("AveragePool", "MaxPool")},
    **{operator: {"hidden_size": 2} for operator in ("GRU", "LSTM", "RNN")},
    "BitShift": {"direction": "LEFT"},
    "Cast": {"to": 1},
    "Concat": {"axis": 0},
    "DepthToSpace": {"blocksize": 2},
}
TYPES = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
TYPES = {name: number for name, number in TYPES.items() if not any(each in name for each in ("complex", "undefined"))}
SCHEMAS = defs.get_all_schemas_with_history()
USUAL = ("tensor(float)", "tensor(int64)", "tensor(uint8)", "tensor(bool)", "tensor(int32)")


def models(operator: str, opset: int) -> Iterator[tuple[str, bytes]]:
    """Yield a model of one node for each type of each type variable, the others with usual types."""
    schema = defs.get_schema(operator, opset)
    allowed = {each.type_param_str: list(each.allowed_type_strs) for each in schema.type_constraints}
    usual = {name: next((each for each in USUAL if each in types), types[0]) for name, types in allowed.items()}
    least = max(schema.min_input, {"Clip": 3, "Resize": 3}.get(operator, 1))
    for variable in allowed:
        for element in TYPES:
            types = {**usual, variable: element}
            ports = [schema.inputs[min(i, len(schema.inputs) - 1)].type_str for i in range(least)]
            kinds = [types.get(port, port) for port in ports]
            if operator == "Resize":
                kinds[1] = ""
            if variable not in ports:
                continue
            inputs = [helper.make_tensor_value_info(f"i{i}", TYPES[each], None) for i, each in enumerate(kinds) if each]
            names = [f"i{i}" if each else "" for i, each in enumerate(kinds)]
            outputs = [f"o{i}" for i in range(max(1, schema.min_output))]
            node = helper.make_node(operator, names, outputs, name="n", **ATTRIBUTES.get(operator, {}))
            graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="o0")])
            own = helper.make_opsetid("", opset)
            version = helper.find_min_ir_version_for([own])
            model = helper.make_model(graph, opset_imports=[own], ir_version=version)
            yield f"{operator} {opset} {variable}={element}", model.SerializeToString()


@pytest.mark.quick(1)
@pytest.mark.parametrize("opset", [21, 13, 17, 24, 25])
def test_the_verdict_is_onnxruntimes(opset: int) -> None:
    """A newer onnxruntime has more kernels than the table."""
    is_of_table = onnxruntime.__version__.startswith("1.31.")
    lacking = set(WRITTEN.split()) - {
        each.name for each in SCHEMAS if each.domain == "" and each.since_version <= opset
    }
    wrong = []
    for operator in WRITTEN.split():
        if operator in lacking:
            continue
        for name, model in models(operator, opset):
            ours, theirs = not verify(model).violations, loads(model)
            if ours != theirs and (ours or is_of_table):
                wrong.append(f"{name}: {ours} {theirs}")
    assert wrong == []
