"""What the IR can say: quantized types, our part of the ``stablehlo`` dialect, and composites."""
