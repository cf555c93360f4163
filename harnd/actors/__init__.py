"""Actors: small tasks with one mailbox each that decide, append, evolve and start what is due.

They know the domain and the ports, and no adapter.
"""
