"""Files a person wrote, from bytes to values: all mistakes of all files at once, each with its line.

Nothing here opens a file; whoever calls has read them.
"""
