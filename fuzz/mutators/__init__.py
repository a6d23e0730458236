"""Mutators: functions that make a file of a file. A kind of file has a module; ``raw`` mutates bytes of any kind."""
