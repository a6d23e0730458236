"""``legalize-qdq-to-quantized-op``: dq -> op -> q becomes one quantized op; one file for each op family.

There are two kinds of rules, both keyed by op class:

* a **sink** moves a dequantize below an op that commutes with it: ``move(dq(x)) -> dq(move(x))``,
  ``conv(dq(x), dq(w)) -> dq(conv(x, w) : i32)``;
* a **fusion** looks up from a quantize: ``q(add(dq(a), dq(b))) -> add(a, b)``, ``q(max(dq(acc), 0)) -> clamp(q(acc))``.

``q -> dq`` is never cancelled: it carries a rounding the model was trained or calibrated with.
"""

from __future__ import annotations

from qconvert.passes.fusion.legalize_qdq_to_quantized_op.driver import LegalizeQdqToQuantizedOp

__all__ = ["LegalizeQdqToQuantizedOp"]
