"""Processes: started without fork, watched through a shim, ended with everything they started.

Nothing is imported here: the shim loads this package on a bare interpreter and pays for every line of it.
"""
