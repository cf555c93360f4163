"""What harnd and its clients share: ids, closed vocabularies, bounds, wire messages and framing.

Floor 1: it imports no other floor and does no I/O.
"""
