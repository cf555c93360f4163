"""Reasons: which condition holds something where it stands, and what would change it.

They are told from stored state alone.
"""
