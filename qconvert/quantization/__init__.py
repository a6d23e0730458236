"""From float models to quantized ones, after MLIR's RFC on quantization transformations; ``qconvert.quantize`` runs it.

1. What is known of values, by name (``names``): what the model itself says is taken out of it (``lifting``), ranges are
   seen on samples (``calibration``), a user notes some in a file (``annotations``); ``constraints`` puts all together.
2. A target (``targets``, ``target``) is kernels whose ``rules`` derive ``parameters`` at ``ports``, of ``ranges`` or of
   one another.
3. ``fusion`` wraps float ops in the logical kernels of the target: one ``quant.region`` each (``region_ports``).
4. ``propagation`` gives each port parameters, with a ``report``: it asks, for each region of the ``network``, the rule
   of the kernel that serves it (``kernel_choice``), over what is known of the ``values`` at its ports.
5. ``export_fixed`` makes a QDQ model of the regions, coarse ones taken apart (``refine``), ``export_codegen`` integers.

``checks`` holds a module against a target by other code than propagation's. Nothing is exported here: each name is
imported from the module that has it.
"""
