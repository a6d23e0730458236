"""A decoder of a language model with random weights, written to the disk a weight at a time.

``python -m benchmarks.decoder OUT.onnx`` writes 1.1 billion parameters: 32 layers with heads, rotary positions, RMS
normalization and SwiGLU, between an embedding and a projection to the vocabulary. Weights are int8 with a scale for
each output. ``--int4`` writes int4 with a scale for each 32 inputs, ``--layers N`` another number of layers.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

BLOCK = 32


@dataclass(frozen=True)
class Sizes:
    """The sizes of a decoder."""

    layers: int = 32
    width: int = 1600
    heads: int = 25
    inner: int = 4352
    words: int = 32_000
    tokens: int = 16

    @property
    def head(self) -> int:
        """The elements of one head."""
        return self.width // self.heads

    @property
    def parameters(self) -> int:
        """The number of weights."""
        layer = 4 * self.width * self.width + 3 * self.width * self.inner
        return self.layers * layer + 2 * self.words * self.width


def write_decoder(path: Path, sizes: Sizes, *, int4: bool = False, seed: int = 0) -> None:
    """Write a model, and its weights to a file beside it whose name ends in .data."""
    with path.with_suffix(".data").open("wb") as data:
        path.write_bytes(_Decoder(sizes, data, np.random.default_rng(seed), int4).model().SerializeToString())


@dataclass
class _Decoder:
    """The nodes and tensors of a decoder under construction."""

    sizes: Sizes
    data: IO[bytes]
    generator: np.random.Generator
    int4: bool
    nodes: list[NodeProto] = field(default_factory=list)
    initializers: list[TensorProto] = field(default_factory=list)

    def model(self) -> ModelProto:
        """Make all layers; the input is token numbers, the output the logits of each."""
        value = self._embedded("tokens")
        for i in range(self.sizes.layers):
            value = self._layer(value, f"layers.{i}")
        self._product(self._normalized(value, "norm"), "lm_head", self.sizes.width, self.sizes.words, "logits")
        tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, (self.sizes.tokens,))
        logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, (self.sizes.tokens, self.sizes.words))
        graph = helper.make_graph(self.nodes, "decoder", [tokens], [logits], self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    def _node(self, op_type: str, inputs: list[str], output: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(op_type, inputs, [output], output, **attributes))
        return output

    def _constant(self, name: str, array: ArrayLike) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _external(self, name: str, data_type: int, dims: tuple[int, ...], raw: bytes | memoryview) -> str:
        proto = TensorProto(name=name, data_type=data_type, dims=dims, data_location=TensorProto.EXTERNAL)
        place = {"location": Path(self.data.name).name, "offset": self.data.tell(), "length": len(raw)}
        for key, value in place.items():
            proto.external_data.add(key=key, value=str(value))
        self.data.write(raw)
        self.initializers.append(proto)
        return name

    def _scales(self, *dims: int) -> NDArray[np.float32]:
        """Scales for which a product of normalized values by weights of the full range has values of about 1."""
        bound = 8 if self.int4 else 128
        return (self.generator.uniform(1, 2, dims) / (bound * np.sqrt(self.sizes.width))).astype(np.float32)

    def _integers(self, *dims: int) -> NDArray[np.int8]:
        return self.generator.integers(-127, 128, dims, np.int8)

    def _embedded(self, tokens: str) -> str:
        """Rows of int8 with a scale each; only the rows of the tokens are dequantized."""
        rows = self._integers(self.sizes.words, self.sizes.width)
        table = self._external("embed.weight", TensorProto.INT8, rows.shape, rows.data.cast("B"))
        scales = self._constant("embed.scale", self._scales(self.sizes.words, 1))
        integers = self._node("Gather", [table, tokens], "embed.rows", axis=0)
        floats = self._node("Cast", [integers], "embed.floats", to=TensorProto.FLOAT)
        return self._node("Mul", [floats, self._node("Gather", [scales, tokens], "embed.scales", axis=0)], "embed")

    def _product(self, value: str, name: str, inputs: int, outputs: int, result: str = "") -> str:
        """A product by dequantized weights."""
        if self.int4:
            raw = self.generator.bytes(inputs * outputs // 2)
            weight = self._external(f"{name}.weight", TensorProto.INT4, (inputs, outputs), raw)
            blocks = self._scales(inputs // BLOCK, outputs)
            scale = self._external(f"{name}.scale", TensorProto.FLOAT, blocks.shape, blocks.data.cast("B"))
            real = self._node("DequantizeLinear", [weight, scale], f"{name}.real", axis=0, block_size=BLOCK)
        else:
            integers = self._integers(inputs, outputs)
            weight = self._external(f"{name}.weight", TensorProto.INT8, integers.shape, integers.data.cast("B"))
            scale = self._constant(f"{name}.scale", self._scales(outputs))
            real = self._node("DequantizeLinear", [weight, scale], f"{name}.real", axis=1)
        return self._node("MatMul", [value, real], result or f"{name}.product")

    def _normalized(self, value: str, name: str) -> str:
        """The RMS normalization."""
        square = self._node("Mul", [value, value], f"{name}.square")
        axes, epsilon = self._constant(f"{name}.axes", np.array([-1])), self._constant(f"{name}.eps", np.float32(1e-5))
        mean = self._node("ReduceMean", [square, axes], f"{name}.mean")
        root = self._node("Sqrt", [self._node("Add", [mean, epsilon], f"{name}.sum")], f"{name}.root")
        weight = self._constant(f"{name}.weight", self.generator.uniform(0.5, 1.5, self.sizes.width).astype(np.float32))
        return self._node("Mul", [self._node("Div", [value, root], f"{name}.unit"), weight], f"{name}.out")

    def _layer(self, value: str, name: str) -> str:
        attended = self._attended(self._normalized(value, f"{name}.norm1"), f"{name}.attention")
        value = self._node("Add", [value, attended], f"{name}.middle")
        hidden, width, inner = self._normalized(value, f"{name}.norm2"), self.sizes.width, self.sizes.inner
        gate = self._product(hidden, f"{name}.gate", width, inner)
        up = self._product(hidden, f"{name}.up", width, inner)
        silu = self._node("Mul", [gate, self._node("Sigmoid", [gate], f"{name}.sigmoid")], f"{name}.silu")
        down = self._product(self._node("Mul", [silu, up], f"{name}.gated"), f"{name}.down", inner, width)
        return self._node("Add", [value, down], f"{name}.out")

    def _attended(self, value: str, name: str) -> str:
        """Causal attention; queries and keys are turned by their position."""
        width, tokens = self.sizes.width, self.sizes.tokens
        query, key, values = (self._heads(self._product(value, f"{name}.{part}", width, width)) for part in "qkv")
        query, key = self._turned(query), self._turned(key)
        across = self._node("Transpose", [key], f"{name}.across", perm=[0, 2, 1])
        scale = self._constant(f"{name}.scale", np.float32(self.sizes.head**-0.5))
        scores = self._node("Mul", [self._node("MatMul", [query, across], f"{name}.dot"), scale], f"{name}.scores")
        mask = self._constant(f"{name}.mask", np.triu(np.full((tokens, tokens), -1e9, np.float32), 1))
        shares = self._node("Softmax", [self._node("Add", [scores, mask], f"{name}.masked")], f"{name}.shares", axis=-1)
        mixed = self._node("MatMul", [shares, values], f"{name}.mixed")
        moved = self._node("Transpose", [mixed], f"{name}.moved", perm=[1, 0, 2])
        shape = self._constant(f"{name}.shape", np.array([tokens, width]))
        return self._product(self._node("Reshape", [moved, shape], f"{name}.joined"), f"{name}.o", width, width)

    def _heads(self, value: str) -> str:
        name = value.removesuffix(".product")
        shape = self._constant(f"{name}.shape", np.array([self.sizes.tokens, self.sizes.heads, self.sizes.head]))
        cut = self._node("Reshape", [value, shape], f"{name}.cut")
        return self._node("Transpose", [cut], f"{name}.heads", perm=[1, 0, 2])

    def _turned(self, value: str) -> str:
        """The rotary positions: elements half a head apart are turned by an angle that grows with the position."""
        half = self.sizes.head // 2
        angles = np.outer(np.arange(self.sizes.tokens), 10_000.0 ** -(np.arange(half) / half))
        cosines, sines = (np.tile(turn(angles), 2).astype(np.float32) for turn in (np.cos, np.sin))
        name = value.removesuffix(".heads")
        cut = self._constant(f"{name}.halves", np.array([half, half]))
        parts = [f"{name}.first", f"{name}.second"]
        self.nodes.append(helper.make_node("Split", [value, cut], parts, f"{name}.split", axis=-1))
        negative = self._node("Neg", [parts[1]], f"{name}.negative")
        crossed = self._node("Concat", [negative, parts[0]], f"{name}.crossed", axis=-1)
        along = self._node("Mul", [value, self._constant(f"{name}.cos", cosines)], f"{name}.along")
        beside = self._node("Mul", [crossed, self._constant(f"{name}.sin", sines)], f"{name}.beside")
        return self._node("Add", [along, beside], f"{name}.turned")


def main() -> None:
    """Write the model that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--int4", action="store_true")
    parser.add_argument("--layers", type=int, default=Sizes.layers)
    given = parser.parse_args()
    sizes = Sizes(layers=given.layers)
    write_decoder(given.out, sizes, int4=given.int4)
    print(f"{given.out}: {sizes.parameters:,} parameters")


if __name__ == "__main__":
    main()
