"""``qconvert batch``: a plan of models, targets, engines and samples, computed by the workers of a Dask cluster.

:mod:`~qconvert.batch.plan` reads the plan, :mod:`~qconvert.batch.tasks` makes the tasks, :mod:`~qconvert.batch.work`
computes one, :mod:`~qconvert.batch.cluster` sends them to workers, and :mod:`~qconvert.batch.results` writes what was
found. Only ``cluster`` imports Dask, and only ``tables`` imports PyArrow.
"""
