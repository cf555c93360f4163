"""The actors: small tasks with one mailbox each that carry out what the rules owe.

Floor 4, beside the adapters and blind to them: the world is reached through ports.
"""
