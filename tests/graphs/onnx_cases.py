"""Random cases whose source is ONNX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from qconvert import Format, convert, load, quantize
from qconvert.api import Model
from qconvert.backends.onnx import OnnxOptions
from tests.graphs.case import Case
from tests.graphs.drawing import draw_network, draw_pair, observed
from tests.graphs.network import Array, Network, Step
from tests.graphs.onnx_writer import Writer
from tests.graphs.operator_writer import OperatorWriter
from tests.graphs.source import Source
from tests.graphs.style import Style

SAMPLES = 2
_QUANTIZERS = ("QuantizeLinear", "DequantizeLinear")
_FORMS = ("qdq", "qoperator", "weight only", "float", "float, quantized")
_SHARES = (0.55, 0.2, 0.08, 0.07, 0.1)
_TARGETS = ("tflite-int8", "tflite-int16", "tosa-int8")


@dataclass(frozen=True)
class Graph(Source):
    """A network with ranges and a style: all that a source's file follows from."""

    label: str
    form: str
    network: Network
    style: Style
    ranges: dict[str, tuple[float, float]]
    seed: int
    has_open_batch: bool = False
    suffix: str = ".onnx"
    origins: Mapping[str, str] = field(default_factory=dict)
    """The values of a larger network whose parameters inputs have."""

    def case(self) -> Case:
        """Return the file and its samples."""
        network, style = self.network, self.style
        writer_class = OperatorWriter if self.form == "qoperator" else Writer
        writer = writer_class(network, None if self.form.startswith("float") else style, self.ranges)
        writer.origins = self.origins
        batch = network.shapes[network.inputs[0]][:1]  # none if a part of a network begins with a scalar
        is_open = self.has_open_batch and bool(batch)
        model = writer.model("batch" if is_open else "")
        dims = {"batch": batch[0]} if is_open else {}
        facts = {
            "activations": np.dtype(style.activations).name if writer.quantizes else "float32",
            "weights": np.dtype(style.weights).name if writer.style else "float32",
            "granularity": style.granularity if writer.style else "none",
            "batch": "open" if is_open else "fixed",
            "mixed": str(bool(style.mixed)),
        }
        samples = tuple(self._sample(writer, number) for number in range(SAMPLES))
        content, made = model.SerializeToString(), None
        if self.form == "float, quantized":
            made = self._quantized(content)
            facts["target"] = self._target
            written = convert(made, Format.ONNX, OnnxOptions(network.opset)).content
            assert written is not None
            content = written
        return Case(
            self.label,
            content,
            samples,
            f"onnx {self.form}",
            tuple(node.op_type for node in model.graph.node if node.op_type not in _QUANTIZERS),
            tuple(dict.fromkeys(step.family for step in network.steps)),
            facts,
            dims,
            made,
        )

    def smaller(self) -> Iterator[Graph]:
        """Yield variants: one output alone, from the shortest; one value as an input; no open batch."""
        network = self.network
        made = [name for step in network.steps for name in step.outputs]
        ends = [cut(network, (), (name,)) for name in made]
        starts = [cut(network, (name,), network.outputs) for name in made]
        found = [each for each in (*ends, *starts) if 0 < len(each.steps) < len(network.steps)]
        for smaller in sorted(found, key=lambda each: len(each.steps)):
            yield replace(self, network=smaller)
        if len(network.outputs) > 1:
            yield from (replace(self, network=replace(network, outputs=(name,))) for name in network.outputs)
        if self.has_open_batch:
            yield replace(self, has_open_batch=False)
        style = self.style
        for changed in (
            replace(style, per_axis=False),
            replace(style, odd_zero_points=False),
            replace(style, mixed=0.0),
            replace(style, microsoft=False),
            replace(style, weight_zero_point=0 if style.weight_zero_point < 100 else 128),
            replace(style, integer_output=True),
        ):
            if changed != style:
                yield replace(self, style=changed)

    @property
    def _target(self) -> str:
        return _TARGETS[self.seed % len(_TARGETS)]

    def _quantized(self, content: bytes) -> Model:
        rng = np.random.default_rng([self.seed, 9])
        shapes = {name: self.network.shapes[name] for name in self.network.inputs}
        samples = [
            {name: rng.uniform(*self.ranges[name], shape).astype(np.float32) for name, shape in shapes.items()}
            for _ in range(3)
        ]
        return quantize(load(content), self._target, samples).model

    def _sample(self, writer: Writer, number: int) -> dict[str, Array]:
        rng = np.random.default_rng([self.seed, number])
        found = {}
        for name in self.network.inputs:
            shape, kind = self.network.shapes[name], self.network.kinds[name]
            low, high = self.ranges.get(name, (0.0, 1.0))
            array = rng.uniform(low, high, shape).astype(np.float32) if kind == "real" else rng.random(shape) < 0.5
            if kind not in ("real", "mask"):
                array = rng.integers(0, 2, shape).astype(np.int64 if kind == "index" else kind)
            elif kind == "real" and writer.quantizes and self.style.integer_input:
                array = writer.parameters[name].integers(array)
            found[name] = array
        return found


def cut(network: Network, starts: tuple[str, ...], outputs: tuple[str, ...]) -> Network:
    """Return the part of a network that some outputs need; ``starts`` become inputs in place of what computes them."""
    needed, kept = set(outputs) - set(starts), list[Step]()
    for step in reversed(network.steps):
        if needed & set(step.outputs):
            kept.append(step)
            needed |= set(step.operands) - set(starts)
    steps = tuple(reversed(kept))
    taken = {name for step in steps for name in step.operands}
    inputs = tuple(name for name in (*network.inputs, *starts) if name in taken)
    made = {name for step in steps for name in step.outputs}
    return replace(network, inputs=inputs, steps=steps, outputs=tuple(name for name in outputs if name in made))


def random_graph(seed: int) -> Graph | None:
    """Return the graph of a seed, None if onnxruntime computes values in it that are not finite."""
    rng = np.random.default_rng([seed, 1])
    return _drawn(rng, draw_network(rng), f"onnx seed {seed}", seed)


def pair_graph(first: str, second: str, seed: int = 0) -> Graph | None:
    """Return a graph of two operators, one of each family, the second behind the first; None if none was found."""
    letters = [*first.encode(), 0, *second.encode(), seed]
    for attempt in range(8):
        rng = np.random.default_rng([*letters, attempt])
        network = draw_pair(rng, first, second)
        graph = None if network is None else _drawn(rng, network, f"{first} -> {second} (seed {seed})", seed)
        if graph is not None:
            return graph
    return None


def _drawn(rng: np.random.Generator, network: Network, label: str, seed: int) -> Graph | None:
    ranges = observed(network, rng) if network.steps else None
    if ranges is None:
        return None
    form = str(rng.choice(_FORMS, p=_SHARES))
    style = Style.draw_weight_only(rng) if form == "weight only" else Style.draw(rng)
    if form == "qoperator":
        style = replace(style, activations=np.uint8 if np.dtype(style.activations).kind == "u" else np.int8, mixed=0.0)
    batched = (
        form != "float, quantized"
        and bool(rng.random() < 0.15)
        and all(network.shapes[name] for name in network.inputs)
    )
    batched = batched and len({network.shapes[name][0] for name in network.inputs}) == 1
    return Graph(f"{label} {form}", form, network, style, ranges, seed, batched)
