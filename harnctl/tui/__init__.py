"""The TUI: everything that waits for a person, across goals, and the keys that answer it.

A model and a message give the next model and errands (`update`); a model gives the rows of the screen (`drawing`).
Both are pure.  Only `app` and `runner` know a terminal and a daemon: they hand messages in and carry errands out.
"""
