"""Quantization of float models, after MLIR's RFC on quantization transformations; ``qconvert.quantize`` runs it.

1. Annotations give parameters and ranges of values by name (``names``). The model's own quantization is taken out of
   it (``lifting``), ranges are observed on samples (``calibration``), and a user may write a file (``annotations``).
   ``constraints`` merges them.
2. A target (``targets``, ``target``) lists kernels. The ``rules`` of a kernel derive ``parameters`` at its ``ports``,
   from ``ranges`` or from other ports.
3. ``fusion`` wraps float ops in the logical kernels of the target: one ``quant.region`` each (``region_ports``).
4. ``propagation`` gives each port parameters, with a ``report``. For each region of the ``network`` it calls the rule
   of the kernel that serves the region (``kernel_choice``), on the constraints of the ``values`` at its ports.
5. ``export_fixed`` makes a QDQ model of the regions; coarse regions are split (``refine``). ``export_codegen`` makes
   integer ops.

``checks`` verifies a module against a target with code of its own. Nothing is exported here: import each name from the
module that defines it.
"""
