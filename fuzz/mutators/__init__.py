"""Mutators: functions that change a file into another. Each kind of file has a module; ``raw`` mutates any bytes."""
