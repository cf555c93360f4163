"""Queries: answers to everything that changes nothing.  Domain state and rows come in, wire views go out.

Lists across goals are written from rows and fold nothing, so that one goal that cannot be read hides no other.  No
query takes a lease or decides anything, and what an agent wrote stays text: no command to type is made of it.
"""

from harnd.daemon.queries.about import About
from harnd.daemon.queries.desk import Queries

__all__ = ["About", "Queries"]
