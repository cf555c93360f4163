"""The demo: a goal carried from an objective to a proven branch, by a real daemon and agents that follow a script.

Everything it needs and makes lies in one fresh directory: a small git repository, the daemon's state and socket, a home
of its own.  It speaks to the daemon as any client does, and it knows nothing of how the daemon does its work.
"""
