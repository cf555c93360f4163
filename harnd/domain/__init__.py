"""The rules: decide, evolve, due.  Floor 2: no clock, no randomness, no await, no I/O."""
