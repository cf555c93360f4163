"""Adapters: the ports made real, each translating foreign errors once, at its edge.

They know no actor; a fake lives beside the real thing and passes the same contract suite.
"""
