"""Random cases whose source is ONNX."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.graphs.case import Case
from tests.graphs.drawing import draw_network, draw_pair, observed
from tests.graphs.network import Array, Network
from tests.graphs.onnx_writer import Writer
from tests.graphs.style import Style

SAMPLES = 2
_FORMS = ("qdq", "weight only", "float")
_SHARES = (0.8, 0.1, 0.1)


@dataclass(frozen=True)
class Graph:
    """A network with ranges and a style: all that a source's file follows from."""

    label: str
    form: str
    network: Network
    style: Style
    ranges: dict[str, tuple[float, float]]
    seed: int
    has_open_batch: bool = False

    def case(self) -> Case:
        """Return the file and its samples."""
        network, style = self.network, self.style
        writer = Writer(network, None if self.form == "float" else style, self.ranges)
        model = writer.model("batch" if self.has_open_batch else "")
        dims = {"batch": network.shapes[network.inputs[0]][0]} if self.has_open_batch else {}
        facts = {
            "activations": np.dtype(style.activations).name if self.form == "qdq" else "float32",
            "weights": np.dtype(style.weights).name if self.form != "float" else "float32",
            "granularity": style.granularity if self.form != "float" else "none",
            "batch": "open" if self.has_open_batch else "fixed",
            "mixed": str(bool(style.mixed)),
        }
        return Case(
            self.label,
            model.SerializeToString(),
            tuple(self._sample(writer, number) for number in range(SAMPLES)),
            f"onnx {self.form}",
            tuple(network.op_types),
            tuple(dict.fromkeys(step.family for step in network.steps)),
            facts,
            dims,
        )

    def _sample(self, writer: Writer, number: int) -> dict[str, Array]:
        rng = np.random.default_rng([self.seed, number])
        found = {}
        for name in self.network.inputs:
            shape, kind = self.network.shapes[name], self.network.kinds[name]
            low, high = self.ranges.get(name, (0.0, 1.0))
            array = rng.uniform(low, high, shape).astype(np.float32) if kind == "real" else rng.random(shape) < 0.5
            if kind == "index":
                array = rng.integers(0, 2, shape)
            elif kind == "real" and writer.quantizes and self.style.integer_input:
                array = writer.parameters[name].integers(array)
            found[name] = array
        return found


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
    batched = bool(rng.random() < 0.15) and all(network.shapes[name] for name in network.inputs)
    batched = batched and len({network.shapes[name][0] for name in network.inputs}) == 1
    return Graph(f"{label} {form}", form, network, style, ranges, seed, batched)


def only_with(graph: Graph, network: Network) -> Graph:
    """Return a graph with a smaller network."""
    return replace(graph, network=network)
