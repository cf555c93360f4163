"""The rules of a goal, one module per family: what is asked → what happens, or `Rejected`."""
