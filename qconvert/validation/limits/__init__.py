"""How far a layer may be from its reference: limits by family, ties, errors of float arithmetic, undefined elements."""
