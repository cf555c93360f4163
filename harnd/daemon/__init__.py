"""The shell: configuration, composition, the socket server and the lifecycle.

Only here are wire messages seen and, in one module, concrete adapters named.
"""
