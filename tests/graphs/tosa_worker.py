"""Inside a child: TOSA's reference model on the bytes of a flatbuffer as qconvert wrote them."""

from __future__ import annotations

from qconvert.engines.wire import Message, positional
from qconvert.engines.workers.tosa import _evaluate


def serve(message: Message) -> Message:
    """Evaluate the flatbuffer on the task's samples; raises EngineError with the model's status."""
    return Message(
        samples=tuple(positional(_evaluate(message.blob, list(sample.values()))) for sample in message.samples)
    )
